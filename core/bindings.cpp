// The seam, rankmark._core: the one file that knows Python. Its last function is the index.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <cmath>

#include "fault.hpp"
#include "prefetch.hpp"
#include "segments.hpp"
#include "trec.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rankmark {
namespace {

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;

// Hands a vector's memory to NumPy, read-only and without a copy.
template <class T>
Array<T> to_array(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Array<T>(kept->data(), {kept->size()}, owner);
}

template <class T>
std::span<T> span_of(const nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>& array) {
  return {array.data(), array.size()};
}

PyObject* owned(PyObject* made) {
  if (made == nullptr) nb::raise_python_error();
  return made;
}

nb::str decoded(std::string_view bytes) {
  const auto size = static_cast<Py_ssize_t>(bytes.size());
  return nb::steal<nb::str>(owned(PyUnicode_DecodeUTF8(bytes.data(), size, "surrogateescape")));
}

template <class IdOf>
nb::tuple ids(std::size_t count, const IdOf& id) {
  nb::list list;
  for (std::uint32_t number = 0; number < count; ++number) list.append(decoded(id(number)));
  return nb::tuple(list);
}

void let_signals_through(std::uint64_t) {
  const nb::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) nb::raise_python_error();
}

// Every 50 ms: lets Ctrl-C through, and tells the caller how many bytes are done.
ReadOptions read_options(int threads, std::size_t block_size, const nb::object& progress) {
  if (block_size == 0 || block_size > (std::size_t{1} << 30)) throw nb::value_error("block_size is 1 to 2^30");
  return {threads, block_size, [progress](std::uint64_t done) {
            let_signals_through(done);
            const nb::gil_scoped_acquire locked;
            if (!progress.is_none()) progress(done);
          }};
}

RankingOptions ranking_options(std::string_view ties, std::int64_t depth, bool judged_only, double lowest) {
  if (ties == "docid") return {Ties::docid, depth, judged_only, lowest};
  if (ties == "docid-up") return {Ties::docid_up, depth, judged_only, lowest};
  if (ties == "input") return {Ties::input, depth, judged_only, lowest};
  throw nb::value_error("ties must be docid, docid-up or input");
}

nb::tuple columns_tuple(Columns&& columns) {
  const auto if_any = [](std::vector<std::int32_t>&& column) -> nb::object {
    return column.empty() ? nb::none() : nb::cast(to_array(std::move(column)));
  };
  return nb::make_tuple(to_array(std::move(columns.starts)), to_array(std::move(columns.rank)),
                        to_array(std::move(columns.label)), if_any(std::move(columns.tie_first)),
                        if_any(std::move(columns.tie_last)), to_array(std::move(columns.retrieved)),
                        to_array(std::move(columns.judged)), to_array(std::move(columns.tied)),
                        to_array(std::move(columns.judged_top)), to_array(std::move(columns.answered)));
}

nb::tuple qrels_from_file(int descriptor, int threads, std::size_t block_size, const nb::object& progress) {
  const ReadOptions options = read_options(threads, block_size, progress);
  QrelsRead read = [&] {
    const nb::gil_scoped_release unlocked;
    return read_qrels(File(descriptor), options);
  }();
  return nb::make_tuple(std::move(read.judgments), read.counts.rows, read.counts.extra_columns);
}

nb::tuple align_file(int descriptor, const Judgments& judgments, std::string_view ties, std::int64_t depth,
                     bool judged_only, double lowest, bool by_rank, int threads, std::size_t block_size,
                     const nb::object& progress) {
  const ReadOptions options = read_options(threads, block_size, progress);
  const RankingOptions ranking = ranking_options(ties, depth, judged_only, lowest);
  RunRead read = [&] {
    const nb::gil_scoped_release unlocked;
    return read_run(File(descriptor), judgments, ranking, by_rank, options);
  }();
  nb::list examples;
  for (const std::string& id : read.run_only_examples) examples.append(decoded(id));
  return nb::make_tuple(columns_tuple(std::move(read.columns)), read.run_only, examples, read.counts.rows,
                        read.counts.extra_columns, read.interleaved);
}

std::vector<std::uint64_t> lines_in_file(int descriptor, const nb::bytes& query, const nb::bytes& document) {
  const std::string_view query_id(query.c_str(), query.size()), document_id(document.c_str(), document.size());
  const nb::gil_scoped_release unlocked;
  return lines_of(File(descriptor), query_id, document_id, let_signals_through);
}

std::uint64_t line_in_file(int descriptor, std::uint64_t offset) {
  const nb::gil_scoped_release unlocked;
  return line_number(File(descriptor), offset, let_signals_through);
}

// Thrown for what a mapping holds and should not; Python words it. Arguments: query, document or
// None, the object found, and what was wanted in its place.
struct MappingFault {
  nb::object query, document, found;
  const char* wanted;
};

nb::object borrowed(PyObject* object) { return nb::borrow<nb::object>(object); }

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

// Asks the run's dicts for the judged documents, whose hashes Python knows already. `queries` and
// `documents` are the judgments' ids as str.
nb::tuple align_dict(const nb::dict& run, const Judgments& judgments, const nb::tuple& queries,
                     const nb::tuple& documents, std::string_view ties, std::int64_t depth, bool judged_only,
                     double lowest) {
  if (queries.size() != judgments.queries() || documents.size() != judgments.labels().size()) {
    throw nb::value_error("queries and documents must be the judgments' ids");
  }
  Ranker ranker(judgments, ranking_options(ties, depth, judged_only, lowest));
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
    const QueryCounts counts = ranker.rank(ranking.scores, matches, id, hits);
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

// What the loops rely on, checked once for all of them.
void check(std::size_t values, const Column<std::int64_t>& starts, std::size_t filled, bool by_row) {
  if (!are_starts(span_of(starts), static_cast<std::int64_t>(values))) {
    throw nb::value_error("starts must rise from 0 to the number of values");
  }
  if (filled != (by_row ? values : starts.size() - 1)) {
    throw nb::value_error(by_row ? "out must have one place a value" : "out must have one place a query");
  }
}

template <class T, void (*loop)(std::span<const T>, Starts, std::span<double>) noexcept, bool by_row>
void per_query(const Column<T>& values, const Column<std::int64_t>& starts, const Output<double>& out) {
  check(values.size(), starts, out.size(), by_row);
  loop(span_of(values), span_of(starts), span_of(out));
}

void py_first(const Column<bool>& mask, const Column<double>& values, const Column<std::int64_t>& starts,
              double absent, const Output<double>& out) {
  check(values.size(), starts, out.size(), false);
  if (mask.size() != values.size()) throw nb::value_error("mask must have one place a value");
  segment_first(span_of(mask), span_of(values), span_of(starts), absent, span_of(out));
}

void py_ratio(const Column<double>& part, const Column<double>& whole, const Output<double>& out) {
  if (part.size() != whole.size() || part.size() != out.size()) {
    throw nb::value_error("part, whole and out must be equally long");
  }
  ratio(span_of(part), span_of(whole), span_of(out));
}

// Each fault becomes an exception class of this module whose args are the fault's fields.
PyObject *parse_fault_type, *duplicate_fault_type, *mapping_fault_type;

void translate(const std::exception_ptr& thrown, void*) {
  const auto raise = [](PyObject* type, const nb::tuple& args) { PyErr_SetObject(type, args.ptr()); };
  try {
    std::rethrow_exception(thrown);
  } catch (const ParseFault& fault) {
    raise(parse_fault_type, nb::make_tuple(fault.offset, decoded(fault.message)));
  } catch (const DuplicateFault& fault) {
    raise(duplicate_fault_type, nb::make_tuple(decoded(fault.query), decoded(fault.document)));
  } catch (const MappingFault& fault) {
    raise(mapping_fault_type, nb::make_tuple(fault.query, fault.document, fault.found, fault.wanted));
  } catch (const FileFault& fault) {
    PyErr_SetString(PyExc_OSError, fault.what());
  }
}

PyObject* new_exception(nb::module_& m, const char* name) {
  const std::string full = std::string("rankmark._core.") + name;
  PyObject* const type = owned(PyErr_NewException(full.c_str(), nullptr, nullptr));  // lives as long as the process
  m.attr(name) = nb::handle(type);
  return type;
}

}  // namespace
}  // namespace rankmark

NB_MODULE(_core, m) {
  using namespace rankmark;
  m.doc() = "Reads, matches and ranks; private: only rankmark.alignment and rankmark.sources speak to it.";

  parse_fault_type = new_exception(m, "ParseFault");
  duplicate_fault_type = new_exception(m, "DuplicateFault");
  mapping_fault_type = new_exception(m, "MappingFault");
  nb::register_exception_translator(translate);

  nb::class_<Judgments>(m, "Judgments")
      .def("query_ids", [](const Judgments& of) {
        return ids(of.queries(), [&](std::uint32_t query) { return of.query_id(query); });
      })
      .def("document_ids", [](const Judgments& of) {
        return ids(of.labels().size(), [&](std::uint32_t row) { return of.document_id(row); });
      })
      .def("starts", [](const Judgments& of) { return to_array(std::vector(of.starts().begin(), of.starts().end())); })
      .def("labels", [](const Judgments& of) { return to_array(std::vector(of.labels().begin(), of.labels().end())); });

  m.def("qrels_from_file", &qrels_from_file, "descriptor"_a, "threads"_a, "block_size"_a, "progress"_a.none());
  m.def("qrels_from_dict", &qrels_from_dict, "qrels"_a);
  m.def("align_file", &align_file, "descriptor"_a, "judgments"_a, "ties"_a, "depth"_a, "judged_only"_a, "lowest"_a,
        "by_rank"_a, "threads"_a, "block_size"_a, "progress"_a.none());
  m.def("align_dict", &align_dict, "run"_a, "judgments"_a, "queries"_a, "documents"_a, "ties"_a, "depth"_a,
        "judged_only"_a, "lowest"_a);
  m.def("lines_in_file", &lines_in_file, "descriptor"_a, "query"_a, "document"_a);
  m.def("line_in_file", &line_in_file, "descriptor"_a, "offset"_a);

  const auto def_per_query = [&m](const char* name, auto loop) {
    m.def(name, loop, "values"_a.noconvert(), "starts"_a.noconvert(), "out"_a.noconvert());
  };
  def_per_query("sum", &per_query<double, segment_sum, false>);
  def_per_query("count", &per_query<bool, segment_count, false>);
  def_per_query("cumsum", &per_query<double, segment_cumsum, true>);
  def_per_query("cumprod", &per_query<double, segment_cumprod, true>);
  m.def("first", &py_first, "mask"_a.noconvert(), "values"_a.noconvert(), "starts"_a.noconvert(), "absent"_a,
        "out"_a.noconvert());
  m.def("ratio", &py_ratio, "part"_a.noconvert(), "whole"_a.noconvert(), "out"_a.noconvert());
}
