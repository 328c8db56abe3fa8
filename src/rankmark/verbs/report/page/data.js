// Unpacking the data of the page, and writing values as the rest of the page writes them.

const byId = (id) => document.getElementById(id);

async function bytesOf(name) {
  const text = byId(`data-${name}`).textContent;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function jsonOf(name) {
  return JSON.parse(new TextDecoder().decode(await bytesOf(name)));
}

// Numbers are stored by the significance of their bytes; see page_encoding.py.
async function floatsOf(name) {
  const planes = await bytesOf(name);
  const count = planes.length / 8;
  const bytes = new Uint8Array(planes.length);
  for (let plane = 0; plane < 8; plane++) {
    for (let at = 0, from = plane * count; at < count; at++) bytes[8 * at + plane] = planes[from + at];
  }
  return new Float64Array(bytes.buffer); // all machines with a browser are little endian
}

// eslint-disable-next-line no-control-regex
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\udb40[\udc00-\udc7f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

// Characters that are not seen, or that change the direction of text, are written as ⟨U+202E⟩, and bytes that are
// not UTF-8, which Python holds as lone surrogates, as \xe9.
function visible(text) {
  const readable = text.replace(/(?<![\ud800-\udbff])[\udc80-\udcff]/g, (found) => `\\x${(found.charCodeAt(0) - 0xdc00).toString(16)}`);
  return readable.replace(INVISIBLE, (found) => `⟨U+${found.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
}

// A part of an address that names a query; ids may contain lone surrogates, which no address can.
function encoded(id) {
  const safe = id.replace(/\\/g, '\\\\').replace(
    /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16)}`,
  );
  return encodeURIComponent(safe);
}

// Make an element. Strings become text, never HTML.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'onclick') made.addEventListener('click', value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function drawn(name, attributes, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Four decimals; halves are rounded to even digits, as everywhere in rankmark. Only odd
// multiples of 1/32 are exactly between two numbers of four decimals.
function fixed(value) {
  if (Number.isInteger(value * 32) && !Number.isInteger(value * 16)) {
    const below = Math.floor(value * 10000);
    return ((below % 2 === 0 ? below : below + 1) / 10000).toFixed(4);
  }
  return value.toFixed(4);
}

function number(value, measure, sign = false) {
  if (Number.isNaN(value) || value === null || value === undefined) return '–';
  const text = measure && measure.count ? value.toFixed(0) : fixed(value);
  return (sign && value > 0 ? `+${text}` : text).replace('-', '−');
}

const counted = (count, one, many) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
