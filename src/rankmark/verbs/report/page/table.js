// The table of queries: filtered, sorted, and drawn only where it is seen.

const ROW = 36;
const MARGIN = 12; // rows drawn above and below those that are seen
const PRINTED = 500;
const KEPT = 10; // letters at the end of a long id

const state = {
  measure: 0, first: 0, second: 1, show: 'all', least: 0, search: '', slice: '',
  by: 'order', down: false, // sorted by
  order: [], // numbers of the queries that are shown
};
let page = null; // the data
let drawnFrom = -1;
let drawnTo = -1;

const score = (query, run, measure = state.measure) =>
  page.scores[(measure * page.runs.length + run) * page.ids.length + query];
const measureNow = () => page.measures[state.measure];
const difference = (query) => score(query, state.second) - score(query, state.first);
const two = () => page.runs.length > 1;

function spread(query) {
  let low = Infinity;
  let high = -Infinity;
  for (let run = 0; run < page.runs.length; run++) {
    const value = score(query, run);
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return high - low;
}

function* everyScore(query) {
  for (let run = 0; run < page.runs.length; run++) yield score(query, run);
}

function isShown(query) {
  if (state.slice && !page.inSlice.get(state.slice).has(query)) return false;
  if (state.search && !page.searched[query].includes(state.search)) return false;
  const value = two() ? difference(query) : 0;
  const better = measureNow().less ? -value : value;
  switch (state.show) {
    case 'better': return better > 0 && better >= state.least;
    case 'worse': return better < 0 && -better >= state.least;
    case 'differ': return value !== 0 && Math.abs(value) >= state.least && !Number.isNaN(value);
    case 'alike': return value === 0;
    case 'zero': return [...everyScore(query)].every((each) => each === 0);
    case 'unanswered': return [...everyScore(query)].some(Number.isNaN);
    default: return state.least ? Math.abs(value) >= state.least : true;
  }
}

function columns() {
  const found = [{ key: 'order', name: 'Query', title: 'In the order of the judgments' }];
  if (page.texts) found.push({ key: 'text', name: 'Text' });
  page.runs.forEach((run, at) => found.push({ key: `run-${at}`, name: page.brief[at], title: visible(run), value: (query) => score(query, at), run: at }));
  if (two()) {
    found.push({ key: 'difference', name: 'Difference', value: difference, title: 'The run minus the other' });
  }
  if (page.runs.length > 2) {
    found.push({ key: 'spread', name: 'Spread', value: spread, title: 'Highest minus lowest score' });
  }
  return found;
}

function update() {
  const shown = [];
  for (let query = 0; query < page.ids.length; query++) if (isShown(query)) shown.push(query);
  const column = columns().find((each) => each.key === state.by);
  const way = state.down ? -1 : 1;
  if (column && column.value) {
    const values = new Float64Array(page.ids.length);
    for (const query of shown) values[query] = column.value(query);
    // Queries without a score come last, however the others are sorted.
    shown.sort((a, b) => (Number.isNaN(values[a]) - Number.isNaN(values[b])) || way * (values[a] - values[b]) || a - b);
  } else if (state.by === 'text') {
    const words = new Intl.Collator('en').compare;
    shown.sort((a, b) => way * words(page.texts[a] ?? '', page.texts[b] ?? '') || a - b);
  } else if (state.by === 'id') {
    const natural = new Intl.Collator('en', { numeric: true }).compare;
    shown.sort((a, b) => way * natural(page.ids[a], page.ids[b]) || a - b);
  } else if (state.down) {
    shown.reverse();
  }
  state.order = shown;
  const all = page.ids.length;
  const listed = `${counted(all, 'query', 'queries')}${page.isCut ? ' on this page' : ''}`;
  byId('count').textContent = shown.length === all ? listed : `${shown.length.toLocaleString('en')} of ${listed}`;
  drawHeads();
  drawRows(true);
  drawChart();
  hintAtColumns();
}

function drawHeads() {
  const heads = byId('heads');
  const focused = heads.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  heads.replaceChildren(...columns().map((column) => {
    const isSorted = state.by === column.key || (column.key === 'order' && state.by === 'id');
    const arrow = isSorted ? (state.down ? ' ▼' : ' ▲') : '';
    return element('th', { scope: 'col', class: column.key === 'text' ? 'text' : null, 'aria-sort': isSorted ? (state.down ? 'descending' : 'ascending') : null },
      element('button', { type: 'button', 'data-key': column.key, title: column.title ?? column.name, onclick: () => sortBy(column) },
        column.name, element('span', { 'aria-hidden': 'true' }, arrow)));
  }));
  if (focused) heads.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

function sortBy(column) {
  if (column.key === 'order') {
    // In the order of the judgments, then by id, up and down.
    if (state.by === 'order') [state.by, state.down] = ['id', false];
    else if (state.by === 'id' && !state.down) state.down = true;
    else [state.by, state.down] = ['order', false];
  } else if (state.by === column.key) {
    state.down = !state.down;
  } else {
    [state.by, state.down] = [column.key, Boolean(column.value)];
  }
  byId('window').scrollTop = 0;
  update();
}

// An id of which the middle is left out where it has no room, as ids differ at their ends.
function inTwo(id) {
  if (id.length <= KEPT * 2) return element('bdi', {}, id);
  let at = id.length - KEPT;
  if (/[\udc00-\udfff]/.test(id[at])) at -= 1;
  return element('bdi', {}, element('span', { class: 'begin' }, id.slice(0, at)), element('span', { class: 'end' }, id.slice(at)));
}

function rowOf(query, place) {
  const measure = measureNow();
  const id = visible(page.ids[query]);
  const cells = [element('th', { scope: 'row' },
    element('a', { href: `#query=${encoded(page.ids[query])}`, 'data-place': place, title: id }, inTwo(id)))];
  if (page.texts) {
    const words = visible(page.texts[query] ?? '');
    cells.push(element('td', { class: 'text words', title: words }, words));
  }
  const [low, high] = page.limits[state.measure];
  for (let run = 0; run < page.runs.length; run++) {
    const value = score(query, run);
    const cell = element('td', { class: 'score' }, number(value, measure));
    if (high > low && value > low) cell.style.setProperty('--heat', (0.34 * (value - low) / (high - low)).toFixed(3));
    cells.push(cell);
  }
  if (two()) {
    const value = difference(query);
    const better = value === 0 || Number.isNaN(value) ? '' : (value > 0) !== measure.less ? 'gain' : 'loss';
    cells.push(element('td', { class: better }, number(value, measure, true)));
  }
  if (page.runs.length > 2) cells.push(element('td', {}, number(spread(query), measure)));
  return element('tr', { 'aria-rowindex': place + 2 }, ...cells);
}

function spacer(rows, width) {
  const cell = element('td', { class: 'spacer', colspan: width });
  cell.style.height = `${rows * ROW}px`;
  return element('tr', { 'aria-hidden': 'true' }, cell);
}

function drawRows(anew = false, from = null, to = null) {
  const view = byId('window');
  const total = state.order.length;
  const top = Math.floor(view.scrollTop / ROW);
  const begin = from ?? Math.max(0, Math.min(top, total - 1) - MARGIN);
  const end = to ?? Math.min(total, top + Math.ceil((view.clientHeight || 600) / ROW) + MARGIN);
  if (!anew && begin === drawnFrom && end === drawnTo) return;
  [drawnFrom, drawnTo] = [begin, end];
  const body = byId('rows');
  const focused = body.contains(document.activeElement) ? Number(document.activeElement.dataset.place) : null;
  const width = columns().length;
  const rows = state.order.slice(begin, end).map((query, at) => rowOf(query, begin + at));
  if (begin > 0) rows.unshift(spacer(begin, width));
  if (end < total) rows.push(spacer(total - end, width));
  if (!total) rows.push(element('tr', {}, element('td', { class: 'empty', colspan: width }, 'No query fits these filters. Reset them to see all.')));
  byId('table').setAttribute('aria-rowcount', total + 1);
  body.replaceChildren(...rows);
  if (focused !== null && !anew) body.querySelector(`[data-place="${focused}"]`)?.focus({ preventScroll: true });
}

function focusRow(place) {
  const view = byId('window');
  const wanted = Math.max(0, Math.min(state.order.length - 1, place));
  const head = byId('heads').offsetHeight;
  const top = wanted * ROW;
  if (top < view.scrollTop) view.scrollTop = top;
  else if (top + ROW + head > view.scrollTop + view.clientHeight) view.scrollTop = top + ROW + head - view.clientHeight;
  drawRows();
  byId('rows').querySelector(`[data-place="${wanted}"]`)?.focus({ preventScroll: true });
}

function moveInTable(event) {
  const link = event.target.closest('a[data-place]');
  if (!link || event.ctrlKey || event.metaKey || event.altKey) return;
  const page_rows = Math.max(1, Math.floor(byId('window').clientHeight / ROW) - 2);
  const place = Number(link.dataset.place);
  const to = {
    ArrowDown: place + 1, ArrowUp: place - 1, PageDown: place + page_rows, PageUp: place - page_rows,
    Home: 0, End: state.order.length - 1,
  }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  focusRow(to);
}
