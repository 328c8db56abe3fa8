// The page: keeps the state, and changes it as people drag, click and type.
//
// Needs measures.js, lists.js, drawing.js and dragging.js. Everything is drawn from `state` (see lists.js),
// so a change is: make a new state, and draw it.

(() => {
  'use strict';

  const root = document.getElementById('try-it');
  const find = (selector) => root.querySelector(selector);
  const gripOf = (name) => find(`.documents .document[data-name="${name}"] .grip`);

  let state = null;
  let past = []; // the addresses of earlier states, for Undo
  let valuesBefore = null; // the values of all measures before the last change; null if there was none
  let beforeDragging = null; // {name, state}: the document that is being dragged, and the state before

  function draw() {
    const held = beforeDragging?.name ?? null;
    Drawing.draw(root, state, { valuesBefore, held, canUndo: past.length > 0 });
  }

  function showAddress() {
    history.replaceState(null, '', `#${RankedLists.toAddress(state)}`);
  }

  const allValues = () => {
    const list = RankedLists.asList(state);
    return RankingMeasures.MEASURES.map((measure) => RankingMeasures.valueOf(measure, list));
  };

  // Says a change, and what it did to the chosen measure, to those who cannot see it.
  function say(what) {
    const measure = RankingMeasures.byName.get(state.measure);
    const at = RankingMeasures.MEASURES.indexOf(measure);
    const value = allValues()[at];
    const name = RankingMeasures.canonicalName(measure, RankedLists.asList(state));
    const changed = valuesBefore ? Drawing.signed(value - valuesBefore[at]) : '';
    const by = changed ? ` (${changed})` : '';
    find('.status').textContent = `${what} ${name} is ${Drawing.decimal(value)}${by}.`;
  }

  // Takes some fields of a new state, and says what changed. It can be undone.
  function change(fields, said) {
    const changed = { ...state, ...fields };
    const before = RankedLists.toAddress(state);
    if (RankedLists.toAddress(changed) === before) return;
    past.push(before);
    // To choose another measure changes no value, and the last changes can still be seen.
    if (changed.measure === state.measure) valuesBefore = allValues();
    state = changed;
    showAddress();
    draw();
    say(said);
  }

  // Shows the list that an address describes; if it describes none, says so and keeps the list.
  function open(address) {
    find('.fault').textContent = '';
    try {
      state = RankedLists.fromAddress(address);
      valuesBefore = null;
    } catch (error) {
      find('.fault').textContent = `The list in the address cannot be shown. ${error.message}`;
      state ??= RankedLists.fromAddress(RankedLists.EXAMPLES[0].address);
    }
    draw();
  }

  function openInstead(address) {
    past.push(RankedLists.toAddress(state));
    open(address);
    showAddress();
  }

  // Changes that people make

  function undo() {
    const now = allValues();
    open(past.pop());
    valuesBefore = now;
    showAddress();
    draw();
    say('Undone.');
  }

  // Gives the two lists with a document at another place.
  function withDocumentAt(name, listed, position) {
    const moved = RankedLists.documentsOf(state).find((one) => one.name === name);
    const lists = withoutDocument(name);
    lists[listed].splice(position, 0, moved);
    return lists;
  }

  function withoutDocument(name) {
    const others = (documents) => documents.filter((one) => one.name !== name);
    return { ranking: others(state.ranking), missed: others(state.missed) };
  }

  function move(name, listed, position) {
    const place = listed === 'ranking' ? `at rank ${position + 1}` : 'not retrieved';
    change(withDocumentAt(name, listed, position), `${name} is now ${place}.`);
  }

  // One step: to the next rank, from the last rank out of the ranking, or from outside to its end.
  function step(name, direction) {
    const position = state.ranking.findIndex((one) => one.name === name);
    const { length } = state.ranking;
    if (position < 0) {
      if (direction < 0) move(name, 'ranking', length);
    } else if (position + direction === length) {
      move(name, 'missed', 0);
    } else if (position + direction >= 0) {
      move(name, 'ranking', position + direction);
    }
  }

  function setLabel(name, label) {
    const relabelled = (documents) => documents.map((one) => (one.name === name ? { name, label } : one));
    const lists = { ranking: relabelled(state.ranking), missed: relabelled(state.missed) };
    change(lists, `The label of ${name} is now ${Drawing.LABELS_IN_WORDS.get(label)}.`);
  }

  // The focus goes to the next document, so that the keyboard is not lost.
  function remove(name) {
    const names = RankedLists.documentsOf(state).map((one) => one.name);
    const at = names.indexOf(name);
    const next = names[at + 1] ?? names[at - 1];
    change(withoutDocument(name), `${name} was removed.`);
    (next ? gripOf(next) : find('.add')).focus();
  }

  function add(listed) {
    const name = RankedLists.freeName(RankedLists.documentsOf(state));
    const added = { name, label: listed === 'ranking' ? 0 : 1 };
    change({ [listed]: [...state[listed], added] }, `${name} was added.`);
  }

  function makeIdealMove() {
    const { name, to } = Drawing.idealMove(state);
    move(name, 'ranking', to);
    find('.make')?.focus({ preventScroll: true });
  }

  function chooseMeasure(measure) {
    change({ measure }, `${measure} is chosen.`);
    find(`[data-measure="${measure}"]`).focus({ preventScroll: true });
  }

  async function copyLink() {
    showAddress();
    try {
      await navigator.clipboard.writeText(location.href);
      find('.status').textContent = 'The link to this list was copied.';
      find('.copy').textContent = 'Copied';
      setTimeout(() => { find('.copy').textContent = 'Copy link'; }, 2000);
    } catch { // the browser does not allow it
      find('.fault').textContent = 'The link could not be copied; copy the address of this page instead.';
    }
  }

  // What people do

  function clicked(event) {
    const button = event.target.closest('button');
    const name = button?.closest('.document')?.dataset.name;
    if (!button) return;
    const actions = {
      up: () => step(name, -1),
      down: () => step(name, 1),
      remove: () => remove(name),
      add: () => add(button.dataset.to),
      measure: () => chooseMeasure(button.dataset.measure),
      make: makeIdealMove,
      undo,
      copy: copyLink,
    };
    actions[button.className]?.();
  }

  const labelOf = (written) => RankedLists.LABELS.find((label) => RankedLists.writtenLabel(label) === written);

  function entered({ target }) {
    const name = target.closest('.document')?.dataset.name;
    if (name) setLabel(name, labelOf(target.value));
    else if (target.matches('.example') && target.value) openInstead(target.value);
    else if (target.matches('.rel')) change({ rel: Number(target.value) }, 'The threshold changed.');
    else if (target.matches('.gain')) change({ gain: target.value }, 'The gain changed.');
    else if (target.matches('.cutoff') && target.validity.valid) {
      change({ k: target.value === '' ? null : Number(target.value) }, 'The cutoff changed.');
    }
  }

  // Keys on the name of a document.
  function pressed(event) {
    if (!event.target.closest('.grip') || event.ctrlKey || event.metaKey || event.altKey) return;
    const { name } = event.target.closest('.document').dataset;
    const label = labelOf(event.key);
    if (event.key === 'ArrowUp') step(name, -1);
    else if (event.key === 'ArrowDown') step(name, 1);
    else if (event.key === 'Delete') remove(name);
    else if (label !== undefined) setLabel(name, label);
    else return;
    event.preventDefault();
  }

  const dragging = {
    start(name) {
      beforeDragging = { name, state };
      valuesBefore = allValues();
      draw();
    },
    place(name, listed, position) {
      if (state[listed][position]?.name === name) return;
      state = { ...state, ...withDocumentAt(name, listed, position) };
      draw();
    },
    end(name, isDropped) {
      const dropped = state;
      state = beforeDragging.state;
      beforeDragging = null;
      const listed = dropped.ranking.some((one) => one.name === name) ? 'ranking' : 'missed';
      if (isDropped) move(name, listed, dropped[listed].findIndex((one) => one.name === name));
      draw();
    },
  };

  const addressOf = ({ hash }) => (hash.startsWith('#ranking=') ? hash.slice(1) : null);

  Drawing.build(root);
  Dragging.listen(root, dragging);
  root.addEventListener('click', clicked);
  root.addEventListener('input', entered);
  root.addEventListener('keydown', pressed);
  addEventListener('hashchange', () => { // somebody follows a link to a list, as in the exercises
    const address = addressOf(location);
    if (address === null) return;
    openInstead(address);
    root.scrollIntoView();
  });
  open(addressOf(location) ?? RankedLists.EXAMPLES[0].address);
  root.dataset.ready = '';
})();
