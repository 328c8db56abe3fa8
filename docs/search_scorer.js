// How the search of the site orders what it finds. Sphinx puts this file into its own script.
//
// Sphinx's weights do not distinguish a word in the title of a page from one in a small heading, and
// order equal results by the alphabet. A page that explains a word comes before one that mentions it.

const EXPLAINED = 4; // for pages that are written to be read from the top
const IN_TITLE = 4; // for pages whose own title has all words of the query

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const isWordOrPlural = (word, sought) => word === sought || word === `${sought}s`;

var Scorer = {
  score: ([page, title, , , score]) => {
    const sought = wordsOf(new URLSearchParams(window.location.search).get('q') ?? '');
    const words = wordsOf(title.split(' > ')[0]);
    const explains = /^(learn|start)\//.test(page) && page !== 'learn/glossary';
    const inTitle = sought.every((one) => words.some((word) => isWordOrPlural(word, one)));
    return score + (explains ? EXPLAINED : 0) + (inTitle ? IN_TITLE : 0);
  },

  // Sphinx finds `rag` in `average_precision_score`, and gives 6 for it.
  objPartialMatch: 1,

  // The weights below are those of Sphinx.
  objNameMatch: 11,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
