// The list of documents that the page shows, and how an address describes it.
//
// A state is an object with these fields:
//   ranking  the documents in rank order: {name, label}, with label null for an unjudged document
//   missed   the documents that were not retrieved
//   k, rel, gain  the settings, as in measures.js
//   measure  the name of the chosen measure
//
// As the part of an address behind the #, a state reads
//   ranking=0,1,0,?&missed=2&k=3&rel=1&gain=exp2&measure=AP
// Only the ranking is needed. A label may follow a name, as in ranking=Lisbon0,Porto2; documents without
// a name are called A, B, C and so on.

const RankedLists = (() => {
  'use strict';

  const LABELS = [null, 0, 1, 2, 3];
  const MOST_DOCUMENTS = 26; // one for each letter
  const HIGHEST_CUTOFF = 99;
  const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

  const EXAMPLES = [
    { title: 'Cats in boxes, query 1', address: 'ranking=0,1,0,1,1,0,1,0&measure=AP' },
    { title: 'Cats in boxes, query 2', address: 'ranking=1,0,0,1,1,0,1,0&measure=AP' },
    { title: 'Cats in boxes, query 3', address: 'ranking=0,0,0,0,1,0,0,1&measure=AP' },
    { title: 'Graded labels', address: 'ranking=2,3,3,1,2&measure=nDCG' },
    { title: 'Relevant documents missed', address: 'ranking=3,2,3,0,1,2&missed=3,2&k=6&measure=nDCG' },
    { title: 'Unjudged documents', address: 'ranking=?,2,?,0,1,?&missed=3,1&k=5&measure=P' },
  ];

  const writtenLabel = (label) => (label === null ? '?' : String(label));

  const documentsOf = (state) => [...state.ranking, ...state.missed];

  // The first letter that no document of a list has.
  function freeName(documents) {
    return LETTERS.find((letter) => documents.every(({ name }) => name !== letter));
  }

  // Gives letters to the documents without a name.
  function named(documents) {
    for (const one of documents) one.name ??= freeName(documents);
    return documents;
  }

  // Reads a state from an address. Throws an Error that says what is wrong with it.
  function fromAddress(address) {
    const fields = new URLSearchParams(address);
    const read = (field) => {
      const text = fields.get(field) ?? '';
      return text === '' ? [] : text.split(',').map((written) => documentOf(written.trim()));
    };
    if (!fields.has('ranking')) throw new Error('The address has no ranking.');
    const state = {
      ranking: read('ranking'),
      missed: read('missed'),
      k: fields.has('k') ? cutoffOf(fields.get('k')) : null,
      rel: oneOf([1, 2, 3], Number(fields.get('rel') ?? 1), 'rel'),
      gain: oneOf(['linear', 'exp2'], fields.get('gain') ?? 'linear', 'gain'),
      measure: oneOf([...RankingMeasures.byName.keys()], fields.get('measure') ?? 'nDCG', 'measure'),
    };
    const documents = documentsOf(state);
    if (documents.length > MOST_DOCUMENTS) throw new Error(`A list has at most ${MOST_DOCUMENTS} documents.`);
    const names = documents.map(({ name }) => name).filter((name) => name !== undefined);
    if (new Set(names).size < names.length) throw new Error('Two documents have the same name.');
    named(documents);
    return state;
  }

  function documentOf(written) {
    const [, name, label] = /^([A-Za-z]{1,12})?([0-3?])$/.exec(written) ?? [];
    if (label === undefined) {
      throw new Error(`“${written}” is no document: write a label from 0 to 3, or ? if unjudged.`);
    }
    return { name, label: label === '?' ? null : Number(label) };
  }

  function cutoffOf(written) {
    const k = Number(written);
    if (!Number.isInteger(k) || k < 1 || k > HIGHEST_CUTOFF) {
      throw new Error(`The cutoff is a whole number from 1 to ${HIGHEST_CUTOFF}, not “${written}”.`);
    }
    return k;
  }

  function oneOf(allowed, value, field) {
    if (!allowed.includes(value)) throw new Error(`${field} is one of ${allowed.join(', ')}.`);
    return value;
  }

  // Writes the address of a state. It has no names if they are those that it would be read with.
  function toAddress(state) {
    const unnamed = documentsOf(state).map(({ label }) => ({ label }));
    const asRead = named(unnamed).map(({ name }) => name).join();
    const needsNames = asRead !== documentsOf(state).map(({ name }) => name).join();
    const write = (documents) =>
      documents.map(({ name, label }) => (needsNames ? name : '') + writtenLabel(label)).join(',');
    const fields = [`ranking=${write(state.ranking)}`];
    if (state.missed.length) fields.push(`missed=${write(state.missed)}`);
    if (state.k !== null) fields.push(`k=${state.k}`);
    if (state.rel !== 1) fields.push(`rel=${state.rel}`);
    if (state.gain !== 'linear') fields.push(`gain=${state.gain}`);
    return [...fields, `measure=${state.measure}`].join('&');
  }

  // The missed documents that are judged; the others affect no measure.
  const judgedMissed = (state) => state.missed.filter(({ label }) => label !== null);

  // The labels and settings of a state, as the measures take them.
  function asList({ ranking, missed, k, rel, gain }) {
    const labels = (documents) => documents.map(({ label }) => label);
    return { labels: labels(ranking), missed: labels(judgedMissed({ missed })), k, rel, gain };
  }

  // The call of rankmark that gives the value of a measure for a state.
  function asPython(state) {
    const measure = RankingMeasures.byName.get(state.measure);
    const list = asList(state);
    const name = RankingMeasures.canonicalName(measure, list);
    const labels = list.labels.map((label) => label ?? 'None').join(', ');
    const missed = list.missed.length ? `, missed=[${list.missed.join(', ')}]` : '';
    return `rankmark.measure('${name}')([${labels}]${missed})`;
  }

  return {
    LABELS,
    MOST_DOCUMENTS,
    HIGHEST_CUTOFF,
    EXAMPLES,
    writtenLabel,
    documentsOf,
    freeName,
    fromAddress,
    toAddress,
    judgedMissed,
    asList,
    asPython,
  };
})();

globalThis.RankedLists = RankedLists;
