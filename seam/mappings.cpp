// Mappings, walked as Python keeps them.
#include "mappings.hpp"

#include <cmath>

#include "prefetch.hpp"

namespace rankmark {
namespace {

PyObject* entry(PyObject* dict, PyObject* key) {
  PyObject* value = PyDict_GetItemWithError(dict, key);
  if (value == nullptr && PyErr_Occurred() != nullptr) nb::raise_python_error();
  return value;
}

// Runs Python code where the value is no plain number, so the caller must own what it looks at.
double number(const nb::object& query, PyObject* document, PyObject* value, const char* wanted) {
  const nb::object kept = borrowed(value), name = borrowed(document);
  const double number = PyFloat_AsDouble(value);
  const bool failed = number == -1.0 && PyErr_Occurred() != nullptr;
  if (failed && !PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError) &&
      !PyErr_ExceptionMatches(PyExc_OverflowError)) {
    nb::raise_python_error();  // Ctrl-C, say
  }
  if (failed || std::isnan(number)) {
    PyErr_Clear();
    throw MappingFault{query, name, kept, wanted};
  }
  return number;
}

// Subclasses of str may compare as they like, so they are for Python to turn into str.
void check_id(const nb::object& query, PyObject* id) {
  if (!PyUnicode_CheckExact(id)) throw MappingFault{query, nb::none(), borrowed(id), "a str id"};
}

std::string_view id_bytes(const nb::object& query, PyObject* id) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(id, &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    throw MappingFault{query, nb::none(), borrowed(id), "an id of Unicode text"};
  }
  return {bytes, static_cast<std::size_t>(size)};
}

nb::object copy_of(PyObject* dict) { return nb::steal(owned(PyDict_Copy(dict))); }

}  // namespace

nb::tuple qrels_from_dict(const nb::dict& qrels) {
  JudgmentsBuilder builder;
  nb::list queries, documents;
  const nb::object outer = copy_of(qrels.ptr());
  PyObject *query_id, *inner, *document, *label;
  for (Py_ssize_t at = 0; PyDict_Next(outer.ptr(), &at, &query_id, &inner);) {
    const nb::object query = borrowed(query_id);
    check_id(query, query_id);
    if (!PyDict_CheckExact(inner)) throw MappingFault{query, nb::none(), borrowed(inner), "a dict"};
    const nb::object labels = copy_of(inner);
    const std::uint32_t row = builder.query(id_bytes(query, query_id));
    queries.append(query);
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
    for (Py_ssize_t place = 0; PyDict_Next(labels.ptr(), &place, &document, &label);) {
      check_id(query, document);
      const double value = number(query, document, label, "a finite number");
      if (std::isinf(value)) throw MappingFault{query, borrowed(document), borrowed(label), "a finite number"};
      const std::string_view id = id_bytes(query, document);
      builder.add(row, id, hash_id(id), value);
      documents.append(nb::handle(document));
    }
  }
  return nb::make_tuple(std::move(builder).finish(), nb::tuple(queries), nb::tuple(documents));
}

namespace {

// One query's documents, as they stand in a dict.
struct DictRanking {
  std::vector<PyObject*> ids, values;
  std::vector<double> scores;
  nb::object copy;  // owns them, where the dict itself might change under our eyes

  // Ids and values lie scattered in memory: first where they are, then what they are.
  void read(const nb::object& query, PyObject* dict) {
    collect(dict);
    for (std::size_t row = 0; row < ids.size(); ++row) {
      check_id(query, ids[row]);
      PyObject* const value = values[row];
      const double score = PyFloat_CheckExact(value) ? PyFloat_AS_DOUBLE(value) : NAN;
      if (std::isnan(score)) return read_any(query, dict);
      scores[row] = score;
    }
  }

 private:
  void collect(PyObject* dict) {
    const auto size = static_cast<std::size_t>(PyDict_Size(dict));
    ids.resize(size);
    values.resize(size);
    scores.resize(size);
    std::size_t row = 0;
    for (Py_ssize_t place = 0; row < size && PyDict_Next(dict, &place, &ids[row], &values[row]); ++row) {
      prefetch(ids[row]);
      prefetch(values[row]);
    }
  }

  // Turning any object into a number may run any code, even such as changes the dict.
  void read_any(const nb::object& query, PyObject* dict) {
    copy = copy_of(dict);
    collect(copy.ptr());
    for (std::size_t row = 0; row < ids.size(); ++row) {
      check_id(query, ids[row]);
      scores[row] = number(query, ids[row], values[row], "a number");
      const nb::float_ asked_once(scores[row]);
      if (PyDict_SetItem(copy.ptr(), ids[row], asked_once.ptr()) != 0) nb::raise_python_error();
    }
  }
};

}  // namespace

nb::tuple align_dict(const nb::dict& run, const Judgments& judgments, const nb::tuple& queries,
                     const nb::tuple& documents, std::string_view ties, std::int64_t depth, bool judged_only,
                     double lowest) {
  if (queries.size() != judgments.queries() || documents.size() != judgments.labels().size()) {
    throw nb::value_error("queries and documents must be the judgments' ids");
  }
  Ranker ranker(ranking_options(ties, depth, judged_only, lowest));
  ColumnsBuilder columns(judgments.queries());
  DictRanking ranking;
  std::vector<Match> matches;
  std::vector<Hit> hits;
  std::int64_t answered = 0, rows = 0;
  std::size_t unpolled = 0;
  for (std::uint32_t q = 0; q < judgments.queries(); ++q) {
    const nb::object query = borrowed(PyTuple_GET_ITEM(queries.ptr(), q));
    PyObject* const found = entry(run.ptr(), query.ptr());
    if (found == nullptr) continue;
    const nb::object inner = borrowed(found);
    if (!PyDict_CheckExact(found)) throw MappingFault{query, nb::none(), inner, "a dict"};
    ++answered;
    ranking.read(query, found);
    matches.clear();
    hits.clear();
    PyObject* const read = ranking.copy ? ranking.copy.ptr() : found;
    const auto starts = judgments.starts();
    for (std::int64_t row = starts[q]; row < starts[q + 1]; ++row) {
      PyObject* const key = PyTuple_GET_ITEM(documents.ptr(), row);
      if (PyObject* const score = entry(read, key); score != nullptr) {
        matches.push_back(
            {number(query, key, score, "a number"), static_cast<std::uint32_t>(row), Match::kUnknownRow});
      }
    }
    const auto id = [&](std::size_t row) { return id_bytes(query, ranking.ids[row]); };
    const QueryCounts counts = ranker.rank(ranking.scores, matches, id, judgments, hits);
    columns.put(q, counts, hits);
    ranking.copy.reset();
    rows += static_cast<std::int64_t>(ranking.scores.size());
    unpolled += ranking.scores.size();
    if (unpolled > 1'000'000) {
      unpolled = 0;
      if (PyErr_CheckSignals() != 0) nb::raise_python_error();
    }
  }
  const auto run_only = static_cast<std::int64_t>(PyDict_Size(run.ptr())) - answered;
  nb::list examples;
  PyObject *query, *inner;
  const nb::object outer = run_only > 0 ? copy_of(run.ptr()) : nb::dict();
  for (Py_ssize_t at = 0; PyDict_Next(outer.ptr(), &at, &query, &inner);) {
    const nb::object id = borrowed(query);
    check_id(id, query);
    if (!PyDict_CheckExact(inner)) throw MappingFault{id, nb::none(), borrowed(inner), "a dict"};
    if (judgments.find_query(id_bytes(id, query)) != IdTable::kAbsent) continue;
    ranking.read(id, inner);
    ranking.copy.reset();
    rows += static_cast<std::int64_t>(ranking.scores.size());
    if (examples.size() < 3) examples.append(id);
  }
  return nb::make_tuple(columns_tuple(columns.finish()), run_only, examples, rows, 0, 0);
}
}  // namespace rankmark
