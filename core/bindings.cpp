// The seam, rankmark._core: the one file that knows Python. Its last function is the index.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string_view.h>

#include <cmath>

#include "fault.hpp"
#include "prefetch.hpp"
#include "segments.hpp"
#include "trec.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rankmark {
namespace {

// ---- values across the seam ----------------------------------------------------------------------

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

nb::str decoded(std::string_view bytes) {
  PyObject* text = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape");
  if (text == nullptr) nb::raise_python_error();
  return nb::steal<nb::str>(text);
}

// ---- options -------------------------------------------------------------------------------------

// Every 50 ms: lets Ctrl-C through, and tells the caller how many bytes are done.
ReadOptions read_options(int threads, std::size_t block_size, const nb::object& progress) {
  if (block_size == 0) throw nb::value_error("block_size must be positive");
  Poll poll = [progress](std::uint64_t done) {
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
    if (!progress.is_none()) progress(done);
  };
  return {threads, block_size, std::move(poll)};
}

RankingOptions ranking_options(std::string_view ties, std::int64_t depth, bool judged_only, double lowest) {
  RankingOptions options{Ties::docid, depth, judged_only, lowest};
  if (ties == "docid-up") {
    options.ties = Ties::docid_up;
  } else if (ties == "input") {
    options.ties = Ties::input;
  } else if (ties != "docid") {
    throw nb::value_error("ties must be docid, docid-up or input");
  }
  return options;
}

nb::tuple columns_tuple(Columns&& columns) {
  nb::object tie_first = nb::none(), tie_last = nb::none();
  if (!columns.tie_first.empty()) {
    tie_first = nb::cast(to_array(std::move(columns.tie_first)));
    tie_last = nb::cast(to_array(std::move(columns.tie_last)));
  }
  return nb::make_tuple(to_array(std::move(columns.starts)), to_array(std::move(columns.rank)),
                        to_array(std::move(columns.label)), tie_first, tie_last,
                        to_array(std::move(columns.retrieved)), to_array(std::move(columns.judged)),
                        to_array(std::move(columns.tied)), to_array(std::move(columns.judged_top)),
                        to_array(std::move(columns.answered)));
}

// ---- files ---------------------------------------------------------------------------------------

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

nb::list lines_in_file(int descriptor, const nb::bytes& query, const nb::bytes& document) {
  nb::list lines;
  for (const std::uint64_t line :
       lines_of(File(descriptor), {query.c_str(), query.size()}, {document.c_str(), document.size()})) {
    lines.append(line);
  }
  return lines;
}

// ---- dicts ---------------------------------------------------------------------------------------

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
  if (std::isnan(number) || (number == -1.0 && PyErr_Occurred() != nullptr)) {
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

nb::object copy_of(PyObject* dict) { return nb::steal(PyDict_Copy(dict)); }

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
    for (Py_ssize_t place = 0; PyDict_Next(labels.ptr(), &place, &document, &label);) {
      check_id(query, document);
      const double value = number(query, document, label, "a finite number");
      if (std::isinf(value)) throw MappingFault{query, borrowed(document), borrowed(label), "a finite number"};
      const std::string_view id = id_bytes(query, document);
      builder.add(row, id, hash_id(id), value);
      documents.append(nb::handle(document));
    }
  }
  return nb::make_tuple(std::move(builder).finish(), queries, documents);
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
      if (row + kAhead < ids.size()) {
        prefetch(ids[row + kAhead]);
        prefetch(values[row + kAhead]);
      }
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
    for (Py_ssize_t place = 0; row < size && PyDict_Next(dict, &place, &ids[row], &values[row]);) ++row;
  }

  // Turning any object into a number may run any code, even such as changes the dict.
  void read_any(const nb::object& query, PyObject* dict) {
    copy = copy_of(dict);
    collect(copy.ptr());
    for (std::size_t row = 0; row < ids.size(); ++row) {
      check_id(query, ids[row]);
      scores[row] = number(query, ids[row], values[row], "a number");
    }
  }
};

// Asks the run's dicts for the judged documents, whose hashes Python knows already. `queries` and
// `documents` are the judgments' ids as str.
nb::tuple align_dict(const nb::dict& run, const Judgments& judgments, const nb::list& queries,
                     const nb::list& documents, std::string_view ties, std::int64_t depth, bool judged_only,
                     double lowest) {
  Ranker ranker(judgments, ranking_options(ties, depth, judged_only, lowest));
  ColumnsBuilder columns(judgments.queries());
  DictRanking ranking;
  std::vector<Match> matches;
  std::vector<Hit> hits;
  std::int64_t answered = 0, rows = 0;
  std::size_t unpolled = 0;
  for (std::uint32_t q = 0; q < judgments.queries(); ++q) {
    const nb::object query = borrowed(PyList_GET_ITEM(queries.ptr(), q));
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
      PyObject* const key = PyList_GET_ITEM(documents.ptr(), row);
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
  for (Py_ssize_t at = 0; PyDict_Next(run.ptr(), &at, &query, &inner);) {
    const nb::object id = borrowed(query);
    check_id(id, query);
    if (!PyDict_CheckExact(inner)) throw MappingFault{id, nb::none(), borrowed(inner), "a dict"};
    if (judgments.find_query(id_bytes(id, query)) != IdTable::kAbsent) continue;
    rows += PyDict_Size(inner);
    if (examples.size() < 3) examples.append(id);
  }
  return nb::make_tuple(columns_tuple(columns.finish()), run_only, examples, rows, 0, 0);
}

// ---- per-query arithmetic ------------------------------------------------------------------------

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

// ---- faults --------------------------------------------------------------------------------------

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
  const nb::object type = nb::steal(PyErr_NewException((std::string("rankmark._core.") + name).c_str(), nullptr, nullptr));
  m.attr(name) = type;
  return type.ptr();  // the module keeps it
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
      .def("query_ids",
           [](const Judgments& judgments) {
             nb::list ids;
             for (std::uint32_t q = 0; q < judgments.queries(); ++q) ids.append(decoded(judgments.query_id(q)));
             return ids;
           })
      .def("document_ids",
           [](const Judgments& judgments) {
             nb::list ids;
             for (std::uint32_t row = 0; row < judgments.labels().size(); ++row) {
               ids.append(decoded(judgments.document_id(row)));
             }
             return ids;
           })
      .def("starts", [](const Judgments& judgments) {
        return to_array(std::vector<std::int64_t>(judgments.starts().begin(), judgments.starts().end()));
      })
      .def("labels", [](const Judgments& judgments) {
        return to_array(std::vector<double>(judgments.labels().begin(), judgments.labels().end()));
      });

  m.def("qrels_from_file", &qrels_from_file, "descriptor"_a, "threads"_a, "block_size"_a, "progress"_a.none());
  m.def("qrels_from_dict", &qrels_from_dict, "qrels"_a);
  m.def("align_file", &align_file, "descriptor"_a, "judgments"_a, "ties"_a, "depth"_a, "judged_only"_a, "lowest"_a,
        "by_rank"_a, "threads"_a, "block_size"_a, "progress"_a.none());
  m.def("align_dict", &align_dict, "run"_a, "judgments"_a, "queries"_a, "documents"_a, "ties"_a, "depth"_a,
        "judged_only"_a, "lowest"_a);
  m.def("lines_in_file", &lines_in_file, "descriptor"_a, "query"_a, "document"_a);
  m.def("line_number", [](int descriptor, std::uint64_t offset) { return line_number(File(descriptor), offset); },
        "descriptor"_a, "offset"_a);

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
