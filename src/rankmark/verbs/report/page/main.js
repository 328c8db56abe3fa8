// Start: unpack, fill the controls, listen, and open the query that the address names.

function queryInAddress() {
  const found = /^#query=(.*)$/s.exec(location.hash);
  if (!found) return null;
  if (!page.places) page.places = new Map(page.ids.map((id, at) => [encoded(id), at]));
  if (page.places.has(found[1])) return page.places.get(found[1]);
  try {
    return page.places.get(encodeURIComponent(decodeURIComponent(found[1]))) ?? -1;
  } catch {
    return -1;
  }
}

function followAddress() {
  const query = queryInAddress();
  const dialog = byId('query');
  const failed = byId('failed');
  failed.hidden = query !== -1;
  if (query === -1) failed.textContent = 'This report has no query with the id in the address.';
  if (query !== null && query >= 0) openQuery(query);
  else if (dialog.open) closeQuery();
}

// The browser reports later that a dialog was closed, when the reader may have followed another address already.
function closeQuery() {
  byId('query').close();
  closed();
}

function closed() {
  if (opened === null || byId('query').open) return;
  opened = null;
  highlighted = null;
  if (location.hash.startsWith('#query=')) history.replaceState(null, '', `${location.pathname}${location.search}`);
  if (returnTo?.isConnected) returnTo.focus({ preventScroll: true });
}

function fill(select, names, value) {
  select.replaceChildren(...names.map((name, at) => element('option', { value: at }, visible(name))));
  select.value = String(value);
}

function listen() {
  const read = () => {
    state.measure = Number(byId('measure').value);
    state.first = Number(byId('first').value);
    state.second = Number(byId('second').value);
    state.show = byId('show').value;
    state.slice = byId('slice').value;
    state.least = Math.max(0, Number(byId('least').value) || 0);
    state.search = byId('search').value.trim().toLowerCase();
    byId('window').scrollTop = 0;
    columnsShown = null;
    update();
  };
  const form = byId('controls');
  form.addEventListener('input', read);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', () => setTimeout(() => { restore(); read(); }));
  byId('window').addEventListener('scroll', () => drawRows(), { passive: true });
  byId('table').addEventListener('keydown', moveInTable);
  byId('query').addEventListener('close', closed);
  byId('query').addEventListener('cancel', (event) => {
    event.preventDefault();
    closeQuery();
  });
  byId('close').addEventListener('click', closeQuery);
  byId('query').addEventListener('click', (event) => {
    const box = byId('query').getBoundingClientRect();
    const isOutside = event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
    if (event.target === byId('query') && isOutside) closeQuery();
  });
  byId('previous').addEventListener('click', () => step(-1));
  byId('next').addEventListener('click', () => step(1));
  byId('query').addEventListener('keydown', (event) => {
    if (event.target.closest('input, select') || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'k' || event.key === 'j') step(event.key === 'j' ? 1 : -1);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || byId('query').open || event.target.closest('input, select, textarea')) return;
    event.preventDefault();
    byId('search').focus();
  });
  addEventListener('hashchange', followAddress);
  addEventListener('resize', () => {
    drawRows();
    hintAtColumns();
  });
  for (const details of document.querySelectorAll('details')) details.addEventListener('toggle', hintAtColumns);
  addEventListener('beforeprint', () => {
    for (const details of document.querySelectorAll('details:not([open])')) {
      details.open = true;
      details.dataset.opened = 'print';
    }
    const some = Math.min(PRINTED, state.order.length);
    drawRows(true, 0, some);
    byId('rows').querySelector('tr[aria-hidden]')?.remove();
    if (some < state.order.length) {
      byId('rows').append(element('tr', {}, element('td', { class: 'empty', colspan: columns().length }, `The first ${PRINTED} of ${counted(state.order.length, 'query', 'queries')} are printed.`)));
    }
  });
  addEventListener('afterprint', () => {
    for (const details of document.querySelectorAll('[data-opened]')) {
      details.open = false;
      delete details.dataset.opened;
    }
    drawRows(true);
  });
}

function restore() {
  // Runs are in the order of the leaderboard: the best one is compared with the baseline, or with the next.
  const first = page.baseline === null ? Math.min(1, page.runs.length - 1) : page.runs.indexOf(page.baseline);
  const second = first === 0 ? Math.min(1, page.runs.length - 1) : 0;
  fill(byId('measure'), page.measures.map((measure) => measure.name), 0);
  fill(byId('first'), page.brief, first);
  fill(byId('second'), page.brief, second);
  byId('slice').replaceChildren(element('option', { value: '' }, 'all'),
    ...Object.keys(page.slices).map((name) => element('option', { value: name }, visible(name))));
  byId('slice-label').hidden = !Object.keys(page.slices).length;
  Object.assign(state, { slice: '', measure: 0, first, second, by: 'order', down: false });
}

function themes() {
  const button = byId('theme');
  const choices = ['auto', 'light', 'dark'];
  const stored = (value) => {
    try { // some browsers keep nothing for files
      if (value) localStorage.setItem('rankmark-theme', value);
      return localStorage.getItem('rankmark-theme');
    } catch { return null; }
  };
  const set = (choice) => {
    if (choice === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
    button.querySelector('span').textContent = choice;
  };
  let now = choices.includes(stored()) ? stored() : 'auto';
  set(now);
  button.hidden = false;
  button.addEventListener('click', () => {
    now = choices[(choices.indexOf(now) + 1) % choices.length];
    stored(now);
    set(now);
  });
}

function limitsOf(scores, measures) {
  const size = scores.length / measures;
  return Array.from({ length: measures }, (_, measure) => {
    let [low, high] = [0, -Infinity];
    for (let at = measure * size; at < (measure + 1) * size; at++) {
      if (scores[at] < low) low = scores[at];
      if (scores[at] > high) high = scores[at];
    }
    return [low, high];
  });
}

// Say where a table goes on to the right, as scroll bars may be hidden.
function hintAtColumns() {
  for (const wide of document.querySelectorAll('main .scroll, main .window')) {
    let hint = wide.previousElementSibling;
    if (!hint?.matches('.hint')) {
      hint = element('p', { class: 'hint', 'aria-hidden': 'true' }, 'Scroll the table sideways for more columns →');
      wide.before(hint);
    }
    hint.hidden = wide.scrollWidth <= wide.clientWidth + 1;
  }
}

async function start() {
  themes();
  hintAtColumns();
  if (typeof DecompressionStream === 'undefined') throw new Error('this browser cannot unpack data (DecompressionStream); use a newer one');
  const [meta, queries, scores] = await Promise.all([jsonOf('meta'), jsonOf('queries'), floatsOf('scores')]);
  page = { ...meta, ids: queries.ids, texts: queries.texts, scores };
  page.inSlice = new Map(Object.entries(page.slices).map(([name, queries]) => [name, new Set(queries)]));
  page.limits = limitsOf(scores, page.measures.length);
  page.searched = page.ids.map((id, at) => (page.texts?.[at] ? `${id} ${page.texts[at]}` : id).toLowerCase());
  restore();
  const pair = document.querySelector('.pair');
  pair.hidden = !two();
  byId('show').closest('label').hidden = !two();
  byId('least').closest('label').hidden = !two();
  byId('explorer').hidden = false;
  listen();
  update();
  document.documentElement.dataset.ready = 'true';
  performance.mark('rankmark-ready');
  followAddress();
}

start().catch((error) => {
  const failed = byId('failed');
  failed.textContent = `The scores of single queries cannot be shown: ${error.message}`;
  failed.hidden = false;
});
