// One query: its scores, and the ranked lists side by side with what each document adds.

const MOST_COLUMNS = 4; // runs shown at first
const pieces = new Map(); // unpacked when needed
let opened = null; // number of the query
let columnsShown = null; // numbers of the runs
let returnTo = null;
let highlighted = null; // a document of the query, in all lists

async function listsOf(query) {
  if (page.stored === null) return null;
  const place = page.stored === 'all' ? query : page.stored.indexOf(query);
  if (place < 0) return null;
  const piece = Math.floor(place / page.piece);
  if (!pieces.has(piece)) pieces.set(piece, jsonOf(`lists-${piece}`));
  const { lists, texts } = await pieces.get(piece);
  return { lists: lists[place % page.piece], texts };
}

async function openQuery(query) {
  const dialog = byId('query');
  if (opened !== query) highlighted = null;
  opened = query;
  if (!columnsShown) {
    const wanted = two() ? [state.first, state.second] : [0];
    for (let run = 0; run < page.runs.length && wanted.length < MOST_COLUMNS; run++) if (!wanted.includes(run)) wanted.push(run);
    columnsShown = new Set(wanted);
  }
  const id = visible(page.ids[query]);
  byId('query-title').replaceChildren('Query ', element('bdi', {}, id));
  const text = page.texts?.[query];
  byId('query-text').hidden = !text;
  byId('query-text').textContent = text ? visible(text) : '';
  const at = state.order.indexOf(query);
  byId('previous').disabled = at <= 0;
  byId('next').disabled = at < 0 || at >= state.order.length - 1;
  if (!dialog.open) {
    returnTo = document.activeElement;
    dialog.showModal();
    byId('query-title').focus();
  }
  dialog.scrollTop = 0;
  await drawQuery();
}

async function drawQuery() {
  const query = opened;
  const body = byId('query-body');
  let found = null;
  try {
    found = await listsOf(query);
  } catch (error) {
    body.replaceChildren(element('p', { class: 'warning' }, `The ranked lists cannot be unpacked: ${error.message}`));
    return;
  }
  if (query !== opened) return; // another one was opened in the meantime
  const parts = [scoresOfQuery(query)];
  if (!found) {
    parts.push(element('p', {}, page.stored === null
      ? 'This report has no ranked lists: the scores were computed by another program.'
      : 'The ranked lists of this query are not stored in this report.'));
  } else {
    if (page.runs.length > MOST_COLUMNS) parts.push(chooser());
    const shown = [...columnsShown].filter((run) => run < page.runs.length).sort((a, b) => a - b);
    const most = Math.max(1e-12, ...shown.flatMap((run) => (found.lists[2][run]?.c[state.measure] ?? []).map(Math.abs)));
    const known = shown.some((run) => found.lists[2][run]?.c[state.measure]);
    parts.push(element('p', { class: 'dim help' }, known
      ? `The number beside a document is what it adds to ${visible(measureNow().name)}. Click a document to mark it in all lists.`
      : `The contributions of documents to ${visible(measureNow().name)} are not stored.`));
    parts.push(element('div', { class: 'lists', role: 'group', 'aria-label': 'Ranked lists', tabindex: 0 }, ...shown.map((run) => listOf(query, run, found, most))));
  }
  const command = commandFor(query);
  if (command) parts.push(element('h3', {}, 'In the shell'), element('code', { class: 'shell' }, command));
  body.replaceChildren(...parts);
  if (highlighted !== null) markDocument(highlighted, true);
}

function scoresOfQuery(query) {
  const rows = page.measures.map((measure, at) => {
    const chosen = at === state.measure;
    return element('tr', { 'aria-current': chosen ? 'true' : null },
      element('th', { scope: 'row' }, element('button', { type: 'button', title: `Show what documents add to ${measure.name}`, onclick: () => chooseMeasure(at) }, visible(measure.name))),
      ...page.runs.map((_, run) => element('td', {}, number(score(query, run, at), measure))));
  });
  const heads = page.runs.map((run, at) => element('th', { scope: 'col', title: visible(run) }, element('bdi', { class: 'run' }, page.brief[at])));
  return element('div', { class: 'by-measure scroll', role: 'group', 'aria-label': 'Scores', tabindex: 0 },
    element('table', { class: 'numbers' },
      element('caption', { class: 'sr' }, 'Scores of this query'),
      element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'Measure'), ...heads)),
      element('tbody', {}, ...rows)));
}

function chooseMeasure(at) {
  state.measure = at;
  byId('measure').value = String(at);
  update();
  drawQuery().then(() => byId('query-body').querySelector('[aria-current] button')?.focus());
}

function chooser() {
  const boxes = page.runs.map((run, at) => {
    const box = element('input', { type: 'checkbox' });
    box.checked = columnsShown.has(at);
    box.addEventListener('change', () => {
      if (box.checked) columnsShown.add(at);
      else columnsShown.delete(at);
      drawQuery().then(() => byId('query-body').querySelectorAll('.choose input')[at]?.focus());
    });
    return element('label', { title: visible(run) }, box, element('bdi', {}, page.brief[at]));
  });
  return element('fieldset', { class: 'choose' }, element('legend', {}, 'Runs'), ...boxes);
}

function listOf(query, run, found, most) {
  const [ids, labels, runs] = found.lists;
  const list = runs[run];
  const measure = measureNow();
  const value = score(query, run);
  const name = visible(page.runs[run]);
  const parts = [element('h3', {}, element('bdi', { class: 'run', title: name }, page.short[run]), element('span', { class: 'value' }, number(value, measure)))];
  if (!list) {
    parts.push(element('p', { class: 'sum' }, 'The ranked list is not stored.'));
    return element('section', { class: 'list', 'aria-label': name }, ...parts);
  }
  const added = list.c[state.measure];
  const first = list.o.length - (list.b?.length ?? 0);
  parts.push(element('p', { class: 'sum' }, list.n ? `${counted(list.n, 'document', 'documents')} retrieved` : 'No documents retrieved'));
  const rows = [];
  let sum = 0;
  list.o.forEach((document_, at) => {
    const rank = at < first ? at + 1 : list.b[at - first];
    if (at === first) rows.push(element('li', { class: 'gap' }, `Relevant below rank ${first}`));
    const share = added ? added[at] ?? 0 : null;
    sum += share ?? 0;
    rows.push(documentRow(found, run, document_, rank, share, most));
  });
  const rest = value - sum;
  if (list.x) rows.push(element('li', { class: 'gap' }, `and ${counted(list.x, 'more relevant document', 'more relevant documents')}`));
  if (added && Math.abs(rest) >= 0.00005) rows.push(element('li', { class: 'gap' }, `Everything else adds ${number(rest, measure, true)}`));
  if (list.m) {
    const more = list.y ? ` and ${list.y.toLocaleString('en')} more` : '';
    rows.push(element('li', { class: 'gap' }, `Relevant, not retrieved${more ? ` (${list.m.length} of ${list.m.length + list.y})` : ''}`));
    for (const document_ of list.m) rows.push(documentRow(found, run, document_, null, null, most));
  }
  parts.push(element('ol', { class: 'documents' }, ...rows));
  return element('section', { class: 'list', 'aria-label': name }, ...parts);
}

function documentRow(found, run, document_, rank, share, most) {
  const [ids, labels] = found.lists;
  const id = ids[document_];
  const label = labels[document_];
  const other = run === state.first ? state.second : state.first;
  const elsewhere = other !== run && found.lists[2][other] ? placeIn(found.lists[2][other], document_) : null;
  const grade = label > 0 ? label / Math.max(...labels.filter((each) => each !== null)) : 0;
  const mark = element('span', { class: `label ${label === null ? 'unjudged' : label > 0 ? 'relevant' : ''}` }, label === null ? 'unjudged' : `label ${label}`);
  if (label > 0) mark.style.setProperty('--grade', grade.toFixed(2));
  const row = element('li', { 'data-document': document_ },
    element('span', { class: 'rank' }, rank === null ? '–' : String(rank)),
    element('button', { type: 'button', class: 'id', title: visible(id), 'aria-pressed': String(highlighted === document_), onclick: () => highlight(document_) }, element('bdi', {}, visible(id))),
    element('span', { class: `added ${share ? '' : 'zero'}` }, share === null ? '' : number(share, null)));
  if (share) {
    const bar = element('span', { class: `bar ${share < 0 ? 'negative' : ''}` });
    bar.style.setProperty('--share', (Math.abs(share) / most).toFixed(3));
    row.append(bar);
  }
  row.append(element('span', { class: 'more' }, mark, elsewhere === null ? null : element('span', {}, elsewhere, element('bdi', { title: visible(page.runs[other]) }, page.brief[other]))));
  const text = found.texts[id];
  if (text) row.append(element('span', { class: 'words' }, visible(text)));
  row.addEventListener('mouseenter', () => markDocument(document_, true));
  row.addEventListener('mouseleave', () => markDocument(document_, false));
  return row;
}

function placeIn(list, document_) {
  const at = list.o.indexOf(document_);
  if (at < 0) return list.m?.includes(document_) ? 'not retrieved by ' : 'not listed in ';
  const first = list.o.length - (list.b?.length ?? 0);
  return `rank ${at < first ? at + 1 : list.b[at - first]} in `;
}

function markDocument(document_, on) {
  for (const row of byId('query-body').querySelectorAll(`[data-document="${document_}"]`)) {
    row.classList.toggle('same', on || highlighted === document_);
  }
}

function highlight(document_) {
  const before = highlighted;
  highlighted = before === document_ ? null : document_;
  if (before !== null) markDocument(before, false);
  if (highlighted !== null) markDocument(highlighted, true);
  for (const button of byId('query-body').querySelectorAll('.documents .id')) {
    button.setAttribute('aria-pressed', String(Number(button.parentElement.dataset.document) === highlighted));
  }
}

const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);

function commandFor(query) {
  const files = page.files[page.runs[state.first]];
  if (!files || files.some((name) => name.startsWith('<'))) return null;
  const id = page.ids[query];
  if (visible(id) !== id) return null;
  const against = two() && state.second !== state.first ? page.files[page.runs[state.second]]?.[1] : null;
  return `rankmark explain ${files.map(quoted).join(' ')} --query ${quoted(id)} -m ${quoted(measureNow().name)}${against ? ` --against ${quoted(against)}` : ''}`;
}

function step(by) {
  const query = state.order[state.order.indexOf(opened) + by];
  if (query !== undefined) location.hash = `query=${encoded(page.ids[query])}`;
}
