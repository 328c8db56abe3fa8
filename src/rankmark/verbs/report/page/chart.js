// The differences of two runs, query by query, from gains to losses.

const CHART = { width: 1000, height: 130 };
let charted = []; // numbers of the queries, as drawn

function drawChart() {
  const figure = byId('chart');
  figure.hidden = !two() || state.first === state.second;
  if (figure.hidden) return;
  const sign = measureNow().less ? -1 : 1;
  charted = state.order.filter((query) => !Number.isNaN(difference(query)));
  charted.sort((a, b) => sign * (difference(b) - difference(a)) || a - b);
  let [wins, losses, sum, highest, lowest] = [0, 0, 0, 0, 0];
  for (const query of charted) {
    const value = difference(query);
    sum += value;
    highest = Math.max(highest, value);
    lowest = Math.min(lowest, value);
    if (sign * value > 0) wins += 1;
    if (sign * value < 0) losses += 1;
  }
  const names = [state.first, state.second].map((run) => visible(page.runs[run]));
  const mean = charted.length ? sum / charted.length : NaN;
  const total = measureNow().count ? `${number(sum, measureNow(), true)} in total` : `${number(mean, null, true)} on average`;
  const words = `${measureNow().name} of ${names[1]} minus ${names[0]}: better on ${counted(wins, 'query', 'queries')}, worse on ${losses.toLocaleString('en')}, equal on ${(charted.length - wins - losses).toLocaleString('en')}${page.weighted ? '' : `; ${total}`}${page.isCut ? ', of the queries on this page' : ''}.`; // a mean would be one without weights
  byId('chart-words').textContent = words;
  const axis = axisOf(lowest, highest);
  [lowest, highest] = axis.ends;
  const step = CHART.width / Math.max(1, charted.length);
  const bar = Math.max(step > 4 ? step - 1 : step, 0.5);
  const scale = CHART.height / (highest - lowest);
  const zero = highest * scale;
  const paths = { up: '', down: '' };
  charted.forEach((query, at) => {
    const value = difference(query);
    if (value === 0) return;
    const height = value * scale;
    paths[sign * value > 0 ? 'up' : 'down'] += `M${(at * step).toFixed(2)} ${zero.toFixed(2)}h${bar.toFixed(2)}v${(-height).toFixed(2)}h${(-bar).toFixed(2)}z`;
  });
  const here = drawn('rect', { class: 'here', x: -1000, y: 0, width: Math.max(step, 3), height: CHART.height });
  const title = drawn('title', {});
  title.textContent = words;
  const picture = drawn('svg', { viewBox: `0 0 ${CHART.width} ${CHART.height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': words },
    here,
    drawn('path', { class: `up ${page.colours[state.second]}`, d: paths.up }), drawn('path', { class: `down ${page.colours[state.first]}`, d: paths.down }),
    drawn('line', { class: 'axis', x1: 0, x2: CHART.width, y1: zero, y2: zero, 'vector-effect': 'non-scaling-stroke' }));
  const place = (event) => {
    const box = picture.getBoundingClientRect();
    return Math.max(0, Math.min(charted.length - 1, Math.floor(((event.clientX - box.left) / box.width) * charted.length)));
  };
  picture.addEventListener('mousemove', (event) => {
    const query = charted[place(event)];
    if (query === undefined) return;
    here.setAttribute('x', place(event) * step);
    byId('chart-words').textContent = `${visible(page.ids[query])}${page.texts?.[query] ? ` “${visible(page.texts[query])}”` : ''}: ${number(difference(query), measureNow(), true)}`;
  });
  picture.addEventListener('mouseleave', () => {
    here.setAttribute('x', -1000);
    byId('chart-words').textContent = words;
  });
  picture.addEventListener('click', (event) => {
    const query = charted[place(event)];
    if (query !== undefined) location.hash = `query=${encoded(page.ids[query])}`;
  });
  const ticks = axis.ticks.map((value) => {
    const tick = element('span', {}, value);
    tick.style.top = `${100 * (highest - Number(value.replace('−', '-'))) / (highest - lowest)}%`;
    return tick;
  });
  const widest = element('span', { class: 'widest' }, axis.ticks.reduce((a, b) => (a.length > b.length ? a : b)));
  const ends = charted.length > 1 ? [charted[0], charted[charted.length - 1]] : [];
  const [left, right] = ends.map((query) => element('span', {}, element('bdi', {}, visible(page.ids[query])), element('span', {}, ` ${number(difference(query), measureNow(), true)}`)));
  byId('chart-drawn').replaceChildren(
    element('span', { class: 'of-values', 'aria-hidden': 'true' }, 'difference'), element('div', { class: 'values', 'aria-hidden': 'true' }, widest, ...ticks), picture,
    element('div', { class: 'of-queries', 'aria-hidden': 'true' }, left, element('span', { class: 'axis-name' }, 'queries, gains first'), right));
}

// Round numbers from below the lowest to above the highest value, with 0.
function axisOf(lowest, highest) {
  const rough = Math.max(highest - lowest, 1e-9) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const size = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough * (1 - 1e-9));
  const [first, last] = [Math.floor(lowest / size + 1e-9), Math.ceil(highest / size - 1e-9)];
  const digits = Math.max(0, -Math.floor(Math.log10(size) + 1e-9));
  const ticks = [];
  for (let at = first; at <= Math.max(last, first + 1); at++) ticks.push((at === 0 ? 0 : at * size).toFixed(digits).replace('-', '−'));
  return { ends: [first * size, Math.max(last, first + 1) * size], ticks };
}
