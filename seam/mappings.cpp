// Mappings, walked as Python keeps them.
#include "mappings.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aligned_queries.hpp"
#include "dict_entries.hpp"
#include "dict_runs.hpp"
#include "fault.hpp"
#include "numbers.hpp"
#include "prefetch.hpp"
#include "tables.hpp"

namespace rankmark {
namespace {

// NumPy's complex scalars have __float__, which drops their imaginary part with a mere warning.
bool is_complex(PyObject* value) {
  const std::string_view type = Py_TYPE(value)->tp_name;
  return type.starts_with("numpy.complex") || type == "numpy.clongdouble";
}

// Whether a number is the double that it was read as.
bool is_exactly(PyObject* value, double number) {
  if (PyFloat_CheckExact(value) || std::fabs(number) < kExactWhole) return true;
  // Python compares its whole numbers as they are, others make doubles of them first.
  const nb::object own = PyIndex_Check(value) ? nb::steal(owned(PyNumber_Index(value))) : borrowed(value);
  const nb::object held = nb::steal(owned(PyFloat_FromDouble(number)));
  const int same = PyObject_RichCompareBool(own.ptr(), held.ptr(), Py_EQ);
  if (same < 0) static_cast<void>(taken_failure());
  return same != 0;
}

// Runs Python code where the value is no plain number, so the caller must own what it looks at.
double number(const nb::object& query, PyObject* document, PyObject* value, const char* wanted,
              const char* remedy_of_inexact) {
  const nb::object kept = borrowed(value), name = borrowed(document);
  if (is_complex(value)) throw MappingFault{query, name, kept, wanted};
  const double number = PyFloat_AsDouble(value);
  const bool failed = number == -1.0 && PyErr_Occurred() != nullptr;
  if (failed) throw MappingFault{query, name, kept, wanted, taken_failure()};
  if (std::isnan(number)) throw MappingFault{query, name, kept, wanted};
  if (remedy_of_inexact != nullptr && !is_exactly(value, number)) {
    throw MappingFault{query, name, kept, remedy_of_inexact, nb::none(), kInexact};
  }
  return number;
}

std::string_view id_bytes(const nb::object& query, PyObject* id) {
  const std::optional<std::string_view> bytes = utf8_of(id);
  if (!bytes) throw MappingFault{query, nb::none(), borrowed(id), "an id of Unicode text"};
  return *bytes;
}

nb::object copy_of(PyObject* dict) { return nb::steal(owned(PyDict_Copy(dict))); }

nb::object as_text(PyObject* id, std::string_view text) {
  return PyUnicode_CheckExact(id) ? borrowed(id) : nb::object(decoded(text));
}

// Ids as text: where Python keeps it, or written out.
class IdTexts {
 public:
  // `most` is how many will be appended until the next start.
  void start(std::size_t most) {
    texts_.clear();
    long_.clear();
    written_.clear();
    written_.reserve(most * kLongest);
  }

  // The id must live as long as the texts are used.
  void append(const nb::object& query, PyObject* id) {
    if (PyUnicode_CheckExact(id)) {
      texts_.push_back(id_bytes(query, id));
      return;
    }
    one_.clear();
    nb::object failure = nb::none();
    if (!append_id(id, one_, failure)) {
      throw MappingFault{query, nb::none(), borrowed(id), "an id: text or a whole number", failure};
    }
    if (one_.size() > kLongest) {
      texts_.emplace_back(long_.emplace_back(one_));
      return;
    }
    const std::size_t place = written_.size();
    written_ += one_;
    texts_.emplace_back(written_.data() + place, one_.size());
  }

  const std::vector<std::string_view>& texts() const noexcept { return texts_; }

 private:
  static constexpr std::size_t kLongest = 20;  // of a 64-bit number

  std::vector<std::string_view> texts_;
  std::string written_, one_;
  std::deque<std::string> long_;
};

// A tuple of two; or a list of two within a list, as JSON has it: a tuple of two lists may be their columns.
bool is_pair(PyObject* one, bool in_list) {
  return (PyTuple_Check(one) || (in_list && PyList_CheckExact(one))) && PySequence_Size(one) == 2;
}

// What a query holds: a dict; or a list, tuple or set of ids, or of pairs of an id and a number. A copy, as the
// numbers' own code may change it under our eyes.
class Entries {
 public:
  enum class Order { free, wanted };

  Entries(const nb::object& query, PyObject* inner, Order order) : is_dict_(PyDict_CheckExact(inner)) {
    if (is_dict_) {
      copy_ = copy_of(inner);
    } else if (PyList_CheckExact(inner) || PyTuple_Check(inner) || (order == Order::free && PyAnySet_Check(inner))) {
      copy_ = nb::steal(owned(PySequence_Tuple(inner)));
      const bool in_list = PyList_CheckExact(inner);
      if (PyTuple_GET_SIZE(copy_.ptr()) > 0 && is_pair(PyTuple_GET_ITEM(copy_.ptr(), 0), in_list)) {
        copy_pairs(query, in_list);
      }
    } else if (order == Order::wanted && PyAnySet_Check(inner)) {
      throw MappingFault{query, nb::none(), borrowed(inner), "an order: a list, or {id: score}"};
    } else {
      throw MappingFault{query, nb::none(), borrowed(inner), "a dict or a list"};
    }
  }

  bool has_numbers() const noexcept { return is_dict_ || pairs_; }
  std::size_t size() const noexcept {
    return static_cast<std::size_t>(is_dict_ ? PyDict_Size(copy_.ptr()) : PyTuple_GET_SIZE(copy_.ptr()));
  }

  // `use(id, value)`; value is null where there are only ids.
  template <class Use>
  void each(const Use& use) const {
    if (is_dict_) {
      PyObject *id, *value;
      for (Py_ssize_t at = 0; PyDict_Next(copy_.ptr(), &at, &id, &value);) use(id, value);
    } else if (pairs_) {
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(copy_.ptr()); ++i) {
        PyObject* const pair = PyTuple_GET_ITEM(copy_.ptr(), i);
        use(PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1));
      }
    } else {
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(copy_.ptr()); ++i) use(PyTuple_GET_ITEM(copy_.ptr(), i), nullptr);
    }
  }

 private:
  // Puts a tuple of the interpreter's own in the place of each pair, which may be a list.
  void copy_pairs(const nb::object& query, bool in_list) {
    pairs_ = true;
    const auto size = PyTuple_GET_SIZE(copy_.ptr());
    const nb::object pairs = nb::steal(owned(PyTuple_New(size)));
    for (Py_ssize_t i = 0; i < size; ++i) {
      PyObject* const one = PyTuple_GET_ITEM(copy_.ptr(), i);
      if (!is_pair(one, in_list))
        throw MappingFault{query, nb::none(), borrowed(one), "a pair (id, number), as the first is"};
      PyObject* const pair = owned(PyTuple_CheckExact(one) ? Py_NewRef(one) : PySequence_Tuple(one));
      PyTuple_SET_ITEM(pairs.ptr(), i, pair);
      // A list may have changed on the way.
      if (PyTuple_GET_SIZE(pair) != 2) throw MappingFault{query, nb::none(), borrowed(pair), "a pair (id, number)"};
      PyObject* const id = PyTuple_GET_ITEM(pair, 0);
      if (!PyUnicode_Check(id) && !PyIndex_Check(id) && PyObject_HasAttrString(id, "is_integer") != 0) {
        throw MappingFault{query, nb::none(), borrowed(pair),
                           "(id, number): the id first, and as text or a whole number"};
      }
    }
    copy_ = pairs;
  }

  bool is_dict_, pairs_ = false;
  nb::object copy_;
};

// A label that a plain dict holds: no other code runs to read it.
double plain_label(PyObject* label) {
  if (PyFloat_CheckExact(label)) {
    const double value = PyFloat_AS_DOUBLE(label);
    if (!std::isfinite(value)) throw NotPlain();
    return value;
  }
  if (!PyLong_CheckExact(label) && !PyBool_Check(label)) throw NotPlain();
  const std::optional<double> value = exact_whole(label);
  if (!value) throw NotPlain();
  return *value;
}

std::string_view plain_id(PyObject* id) {
  const std::optional<std::string_view> bytes = utf8_of(id);
  if (!bytes) throw NotPlain();
  return *bytes;
}

// `use(id, value)` for each entry of a dict of text.
template <class Use>
void each_plain_entry(PyObject* dict, const Use& use) {
  constexpr std::size_t kAhead = 8;
  if (holds_only_text(dict)) {
    const std::span<const DictEntry> entries = entries_of(dict);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const DictEntry& later = entries[std::min(i + kAhead, entries.size() - 1)];
      prefetch(later.key);
      prefetch(later.value);
      if (entries[i].value != nullptr) use(entries[i].key, entries[i].value);
    }
    return;
  }
  PyObject *id, *value;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &id, &value);) {
    if (!PyUnicode_CheckExact(id)) throw NotPlain();
    use(id, value);
  }
}

// Dicts of text and numbers, read where they are: as none of the caller's code runs meanwhile, but between two
// queries, they need no copy; and no dict holds a document twice. Ids stay where Python keeps them, in a tuple.
nb::tuple qrels_from_plain_dicts(const nb::dict& caller_qrels) {
  const auto qrels = nb::borrow<nb::dict>(unchanging(caller_qrels.ptr()));
  std::vector<std::pair<nb::object, nb::object>> held;
  held.reserve(qrels.size());
  PyObject *query, *inner;
  std::size_t size = 0;
  for (Py_ssize_t at = 0; PyDict_Next(qrels.ptr(), &at, &query, &inner);) {
    if (!PyUnicode_CheckExact(query) || !PyDict_CheckExact(inner)) throw NotPlain();
    held.emplace_back(borrowed(query), borrowed(inner));
    size += static_cast<std::size_t>(PyDict_Size(inner));
  }
  const nb::object queries = nb::steal(owned(PyTuple_New(static_cast<Py_ssize_t>(held.size()))));
  const nb::object all = nb::steal(owned(PyTuple_New(static_cast<Py_ssize_t>(size))));
  std::vector<std::string_view> query_ids;
  query_ids.reserve(held.size());
  HeldDocuments judged;
  judged.ids.resize(size);
  judged.labels.resize(size);
  judged.starts.reserve(held.size() + 1);
  judged.starts.push_back(0);
  std::size_t row = 0;
  for (const auto& [query_id, caller_documents] : held) {
    const nb::object documents = unchanging(caller_documents.ptr());
    PyTuple_SET_ITEM(queries.ptr(), static_cast<Py_ssize_t>(query_ids.size()), Py_NewRef(query_id.ptr()));
    query_ids.push_back(plain_id(query_id.ptr()));
    each_plain_entry(documents.ptr(), [&](PyObject* document, PyObject* label) {
      if (row == size) throw NotPlain();  // a signal's code has added to it
      judged.ids[row] = plain_id(document);
      judged.labels[row] = plain_label(label);
      PyTuple_SET_ITEM(all.ptr(), static_cast<Py_ssize_t>(row), Py_NewRef(document));
      ++row;
    });
    judged.starts.push_back(static_cast<std::int64_t>(row));
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
  }
  if (row < size) throw NotPlain();  // or has removed from it
  PyObject_GC_UnTrack(all.ptr());    // which the collector would do, once it has looked through it
  judged.holder = {Py_NewRef(all.ptr()), [](const void* tuple) { Py_DECREF(static_cast<const PyObject*>(tuple)); }};
  return nb::make_tuple(JudgmentsBuilder::of_held(query_ids, std::move(judged)), queries, all);
}

nb::tuple qrels_from_any(const nb::dict& qrels) {
  JudgmentsBuilder builder;
  nb::list queries, documents;
  IdTexts texts;
  const nb::object outer = copy_of(qrels.ptr());
  PyObject *query_id, *inner;
  for (Py_ssize_t at = 0; PyDict_Next(outer.ptr(), &at, &query_id, &inner);) {
    const nb::object query = borrowed(query_id);
    const Entries entries(query, inner, Entries::Order::free);
    texts.start(1);
    texts.append(query, query_id);
    const std::string query_text(texts.texts()[0]);
    const std::uint32_t row = builder.query(query_text);
    if (row < queries.size()) throw DuplicateFault(query_text, "");
    queries.append(as_text(query_id, query_text));
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
    texts.start(entries.size());
    entries.each([&](PyObject* document, PyObject* label) {
      texts.append(query, document);
      const double value =
          label == nullptr ? 1.0 : number(query, document, label, "a finite number", kInexactLabelRemedy);
      if (std::isinf(value)) throw MappingFault{query, borrowed(document), borrowed(label), "a finite number"};
      const std::string_view id = texts.texts().back();
      builder.add(row, id, hash_id(id), value);
      documents.append(as_text(document, id));
    });
  }
  return nb::make_tuple(std::move(builder).finish(), nb::tuple(queries), nb::tuple(documents));
}

// Reads whatever entries there are and looks each of them up, as a table's rows are.
nb::tuple align_any(const nb::dict& run, const Judgments& judgments, const RankingOptions& options) {
  AlignedQueries::Ranker by_score(judgments, options), by_place(judgments, options.of_ranks());
  AlignedQueries target(judgments, options);
  PlaceScores places;
  IdTexts texts;
  std::vector<double> scores;
  std::vector<Hit> hits;
  const char* const inexact = options.single ? nullptr : kInexactRemedy;
  std::int64_t rows = 0;
  const nb::object outer = copy_of(run.ptr());
  PyObject *query_id, *inner;
  for (Py_ssize_t at = 0; PyDict_Next(outer.ptr(), &at, &query_id, &inner);) {
    const nb::object query = borrowed(query_id);
    texts.start(1);
    texts.append(query, query_id);
    const std::string query_text(texts.texts()[0]);
    const Entries entries(query, inner, Entries::Order::wanted);
    texts.start(entries.size());
    scores.clear();
    entries.each([&](PyObject* document, PyObject* score) {
      texts.append(query, document);
      if (score != nullptr) scores.push_back(number(query, document, score, "a number", inexact));
    });
    hits.clear();
    const AlignedQueries::Outcome outcome = entries.has_numbers()
                                                ? by_score(query_text, texts.texts(), scores, hits)
                                                : by_place(query_text, texts.texts(), places.of(entries.size()), hits);
    if (!target.put(query_text, outcome, hits, 0, hits.size())) throw DuplicateFault(query_text, "");
    rows += static_cast<std::int64_t>(entries.size());
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
  }
  return run_tuple(target.finish(rows, 0, 0));
}

void check_ids(const Judgments& judgments, const nb::tuple& queries, const nb::tuple& documents) {
  if (queries.size() != judgments.queries() || documents.size() != judgments.labels().size()) {
    throw nb::value_error("queries and documents must be the judgments' ids");
  }
}

}  // namespace

nb::tuple qrels_from_dict(const nb::dict& qrels) {
  try {
    return qrels_from_plain_dicts(qrels);
  } catch (const NotPlain&) {
    return qrels_from_any(qrels);
  }
}

nb::tuple align_dict(const nb::dict& run, const Judgments& judgments, const nb::tuple& queries,
                     const nb::tuple& documents, const RankingOptions& ranking) {
  check_ids(judgments, queries, documents);
  try {
    return align_plain_dicts(run, judgments, queries, documents, ranking);
  } catch (const NotPlain&) {
    return align_any(run, judgments, ranking);
  }
}

std::optional<nb::tuple> align_plain_dict(const nb::dict& run, const Judgments& judgments, const nb::tuple& queries,
                                          const nb::tuple& documents, const RankingOptions& ranking) {
  check_ids(judgments, queries, documents);
  try {
    return align_plain_dicts(run, judgments, queries, documents, ranking);
  } catch (const NotPlain&) {
    return std::nullopt;
  }
}

}  // namespace rankmark
