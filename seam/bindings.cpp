// The index of the seam, rankmark._core: every class and function that Python may call, and the core's faults as
// exceptions.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <stdexcept>

#include "arrays.hpp"
#include "batches.hpp"
#include "convert.hpp"
#include "dict_entries.hpp"
#include "fault.hpp"
#include "files.hpp"
#include "fused_ranks.hpp"
#include "mappings.hpp"
#include "neighbours.hpp"
#include "pairs.hpp"
#include "patterns.hpp"
#include "segments.hpp"
#include "spill_file.hpp"
#include "tables.hpp"
#include "united_runs.hpp"
#include "values.hpp"

namespace rankmark {
namespace {

// What the loops rely on, checked once for all of them.
void check(std::size_t values, const Values<const std::int64_t>& starts, std::size_t filled, bool by_row) {
  if (!are_starts(starts.span(), static_cast<std::int64_t>(values))) {
    throw nb::value_error("starts must rise from 0 to the number of values");
  }
  if (filled != (by_row ? values : starts.size() - 1)) {
    throw nb::value_error(by_row ? "out must have one place a value" : "out must have one place a query");
  }
}

template <class T, void (*loop)(std::span<const T>, Starts, std::span<double>) noexcept, bool by_row>
void per_query(const Values<const T>& values, const Values<const std::int64_t>& starts, const Values<double>& out) {
  check(values.size(), starts, out.size(), by_row);
  loop(values.span(), starts.span(), out.span());
}

// What tells which documents are hits: two columns of one length.
Hits hits_of(const Values<const double>& label, const Values<const std::int32_t>& rank, double rel, std::int64_t k) {
  if (label.size() != rank.size()) throw nb::value_error("rank must have one place a label");
  return {label.span(), rank.span(), rel, k};
}

void py_hits(const Values<const double>& label, const Values<const std::int32_t>& rank, double rel, std::int64_t k,
             const Values<bool>& out) {
  if (out.size() != label.size()) throw nb::value_error("out must have one place a label");
  mark_hits(hits_of(label, rank, rel, k), out.span());
}

template <void (*loop)(const Hits&, Starts, std::span<double>) noexcept>
void of_hits(const Values<const double>& label, const Values<const std::int32_t>& rank,
             const Values<const std::int64_t>& starts, double rel, std::int64_t k, const Values<double>& out) {
  check(label.size(), starts, out.size(), false);
  loop(hits_of(label, rank, rel, k), starts.span(), out.span());
}

void py_sum_where(const Values<const double>& values, const Values<const bool>& mask,
                  const Values<const std::int64_t>& starts, const Values<double>& out) {
  check(values.size(), starts, out.size(), false);
  if (mask.size() != values.size()) throw nb::value_error("mask must have one place a value");
  segment_sum_where(values.span(), mask.span(), starts.span(), out.span());
}

void py_sum_to(const Values<const double>& values, const Values<const std::int32_t>& rank,
               const Values<const std::int64_t>& starts, std::int64_t k, const Values<double>& out) {
  check(values.size(), starts, out.size(), false);
  if (rank.size() != values.size()) throw nb::value_error("rank must have one place a value");
  segment_sum_to(values.span(), rank.span(), starts.span(), k, out.span());
}

void py_sum_of_first(const Values<const double>& values, const Values<const double>& divisors,
                     const Values<const std::int64_t>& starts, std::int64_t k, const Values<double>& out) {
  check(values.size(), starts, out.size(), false);
  const std::span ends = starts.span();
  const auto divided = static_cast<std::int64_t>(divisors.size());
  for (std::size_t q = 0; q + 1 < ends.size(); ++q) {
    if (k < 0 || std::min(ends[q + 1] - ends[q], k) > divided) throw nb::value_error("need a divisor for each place");
  }
  segment_sum_of_first(values.span(), divisors.span(), ends, k, out.span());
}

nb::tuple py_steps(const Values<const double>& values, const Values<const std::int64_t>& starts) {
  check(values.size(), starts, starts.size() - 1, false);
  const Steps steps = steps_of(values.span(), starts.span());
  return nb::make_tuple(steps.rises, steps.falls);
}

void py_first(const Values<const bool>& mask, const Values<const double>& values,
              const Values<const std::int64_t>& starts, double absent, const Values<double>& out) {
  check(values.size(), starts, out.size(), false);
  if (mask.size() != values.size()) throw nb::value_error("mask must have one place a value");
  segment_first(mask.span(), values.span(), starts.span(), absent, out.span());
}

void py_earlier_lower(const Values<const std::int64_t>& values, const Values<const std::int64_t>& starts,
                      const Values<std::int64_t>& out) {
  check(values.size(), starts, out.size(), true);
  const Unlocked unlocked;
  segment_earlier_lower(values.span(), starts.span(), out.span());
}

// Fills the ranks of judged documents, ways to fuse by documents; rows and starts are checked once for all loops.
void py_fused_ranks(const Values<const std::int64_t>& starts, const Values<const double>& values,
                    const Values<const double>& weights, bool divisors, const Values<const std::int64_t>& places,
                    const Values<const std::int64_t>& judged_starts, const Values<const std::int64_t>& judged,
                    std::int64_t deepest, const Values<std::int32_t>& rank, const Values<std::int32_t>& tie_first,
                    const Values<std::int32_t>& tie_last, int threads) {
  const std::size_t documents = places.size(), lists = documents == 0 ? 0 : values.size() / documents;
  check(documents, starts, documents, true);
  check(judged.size(), judged_starts, judged.size(), true);
  if (starts.size() != judged_starts.size()) throw nb::value_error("judged_starts must have one place a query");
  if (lists * documents != values.size() || lists == 0 || weights.size() % lists != 0) {
    throw nb::value_error("values and weights must have one row, and one column, a list");
  }
  for (std::size_t query = 0; query + 1 < starts.size(); ++query) {
    const std::int64_t first = starts.span()[query], end = starts.span()[query + 1];
    for (auto at = judged_starts.span()[query]; at < judged_starts.span()[query + 1]; ++at) {
      const std::int64_t row = judged.span()[static_cast<std::size_t>(at)];
      if (row < first || row >= end) throw nb::index_error("judged must be rows of their query");
    }
  }
  const std::size_t cells = weights.size() / lists * judged.size();
  if (rank.size() != cells || tie_first.size() != cells || tie_last.size() != cells || deepest < 1) {
    throw nb::value_error("ranks must have one place a way and judged document, and deepest be at least 1");
  }
  const FusedLists fused{starts.span(), values.span(),        weights.span(), divisors,
                         places.span(), judged_starts.span(), judged.span(),  deepest};
  const Unlocked unlocked;
  rank_fused(fused, {rank.span(), tie_first.span(), tie_last.span()}, threads, let_signals_through);
}

void py_ratio(const Values<const double>& part, const Values<const double>& whole, const Values<double>& out) {
  if (part.size() != whole.size() || part.size() != out.size()) {
    throw nb::value_error("part, whole and out must be equally long");
  }
  ratio(part.span(), whole.span(), out.span());
}

// Each fault becomes an exception class of this module whose args are the fault's fields.
PyObject *parse_fault_type, *duplicate_fault_type, *mapping_fault_type, *table_fault_type, *no_id_fault_type,
    *stream_fault_type, *limit_fault_type, *file_fault_type, *spill_fault_type, *producer_fault_type;

// A count of each query's list: (queries,).
Array<std::int64_t> counts_of_lists(const Rankings& of, std::string_view name) {
  const auto count = [&](const Rankings::List& list) {
    if (name == "tied") return list.counts.tied;
    if (name == "rises") return list.counts.rises;
    if (name == "given") return list.counts.given;
    if (name == "units") return list.counts.units.units;
    if (name == "whole_units") return list.counts.units.whole;
    if (name == "negative_units") return list.counts.units.negative;
    if (name == "kept") return static_cast<std::int64_t>(list.count);
    throw nb::value_error("no count has this name");
  };
  std::vector<std::int64_t> counts;
  counts.reserve(of.queries().size());
  for (std::uint32_t query = 0; query < of.queries().size(); ++query) counts.push_back(count(of.list(query)));
  return to_array(std::move(counts));
}

void translate(const std::exception_ptr& thrown, void*) {
  const auto raise = [](PyObject* type, const nb::tuple& args) { PyErr_SetObject(type, args.ptr()); };
  const auto words = [](const TextFault& fault) {
    return nb::make_tuple(decoded(fault.message.found), decoded(fault.message.remedy));
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const ParseFault& fault) {
    raise(parse_fault_type, nb::make_tuple(fault.offset, decoded(fault.message.found), decoded(fault.message.remedy)));
  } catch (const DuplicateFault& fault) {
    raise(duplicate_fault_type, nb::make_tuple(decoded(fault.query), decoded(fault.document)));
  } catch (const MappingFault& fault) {
    raise(mapping_fault_type,
          nb::make_tuple(fault.query, fault.document, fault.found, fault.wanted, fault.failure, fault.why));
  } catch (const TableFault& fault) {
    raise(table_fault_type,
          nb::make_tuple(fault.column, fault.row, decoded(fault.message.found), decoded(fault.message.remedy)));
  } catch (const NoIdFault& fault) {
    raise(no_id_fault_type, nb::make_tuple(fault.column, fault.row, fault.found, fault.failure));
  } catch (const StreamFault& fault) {
    raise(stream_fault_type, words(fault));
  } catch (const LimitFault& fault) {
    raise(limit_fault_type, words(fault));
  } catch (const ProducerFault&) {
    raise(producer_fault_type, nb::make_tuple());
  } catch (const SpillFault& fault) {
    raise(spill_fault_type, words(fault));
  } catch (const FileFault& fault) {
    raise(file_fault_type, words(fault));
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
  m.doc() = "Reads, matches and ranks; private: only rankmark.data speaks to it.";

  parse_fault_type = new_exception(m, "ParseFault");
  duplicate_fault_type = new_exception(m, "DuplicateFault");
  mapping_fault_type = new_exception(m, "MappingFault");
  table_fault_type = new_exception(m, "TableFault");
  no_id_fault_type = new_exception(m, "NoIdFault");
  stream_fault_type = new_exception(m, "StreamFault");
  limit_fault_type = new_exception(m, "LimitFault");
  file_fault_type = new_exception(m, "FileFault");
  spill_fault_type = new_exception(m, "SpillFault");
  producer_fault_type = new_exception(m, "ProducerFault");
  nb::register_exception_translator(translate);
  nb::set_leak_warnings(false);  // what a daemon's thread holds when the program ends is no mistake

  nb::class_<Judgments>(m, "Judgments")
      .def("query_ids",
           [](const Judgments& of) {
             return ids(of.queries(), [&](std::uint32_t query) { return of.query_id(query); });
           })
      .def("document_ids",
           [](const Judgments& of) {
             return ids(of.labels().size(), [&](std::uint32_t row) { return of.document_id(row); });
           })
      .def("documents_of_rows", &documents_of_rows, "rows"_a.noconvert())
      .def("starts", [](nb::handle self) { return array_in(nb::cast<const Judgments&>(self).starts(), self); })
      .def("labels", [](nb::handle self) { return array_in(nb::cast<const Judgments&>(self).labels(), self); });

  nb::class_<TextLayout>(m, "TextLayout")
      .def(nb::new_(&text_layout), nb::kw_only(), "separator"_a, "columns"_a, "query"_a, "document"_a,
           "number"_a.none(), "rank"_a.none(), "begin"_a, "labels"_a, "by_rank"_a, "more_columns"_a, "wanted"_a,
           "single"_a = false, "scanner"_a = 0);
  nb::class_<Parents>(m, "Parents").def(nb::new_(&parents_of), "units"_a, "documents"_a);
  nb::class_<RankingOptions>(m, "RankingOptions")
      .def(nb::new_(&ranking_options), "ties"_a, "depth"_a, "judged_only"_a, "drop_self"_a, "duplicates"_a, "single"_a,
           "lowest"_a, "deepest"_a, "memory"_a = ReadOptions{}.memory)
      .def_ro("memory", &RankingOptions::memory)
      .def_prop_ro("duplicates", &name_of_duplicates)
      .def_ro("single", &RankingOptions::single)
      .def_ro("depth", &RankingOptions::depth)
      .def_ro("judged_only", &RankingOptions::judged_only)
      .def_ro("drop_self", &RankingOptions::drop_self)
      .def_ro("lowest", &RankingOptions::lowest)
      .def_ro("deepest", &RankingOptions::deepest)
      .def_prop_ro("ties", &name_of_ties)
      .def_prop_ro("ranks_units", [](const RankingOptions& of) { return of.units.any(); })
      .def_prop_ro("looks_at_ids", [](const RankingOptions& of) { return of.seen != nullptr || of.units.any(); })
      .def("of_units", &of_units<RankingOptions>, "separator"_a, "combine"_a, "of_best"_a, "depth"_a,
           nb::keep_alive<0, 1>())
      .def("of_units_in", &RankingOptions::of_units_in, "parents"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>())
      .def("of_ranks", &RankingOptions::of_ranks, nb::keep_alive<0, 1>())
      .def("without", &RankingOptions::without, "seen"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>());
  nb::class_<ListOptions>(m, "ListOptions")
      .def(nb::new_(&list_options), "ties"_a, "deepest"_a, nb::kw_only(), "negated"_a = false)
      .def_ro("negated", &ListOptions::negated)
      .def_prop_ro("ranks_units", [](const ListOptions& of) { return of.units.any(); })
      .def("of_units", &of_units<ListOptions>, "separator"_a, "combine"_a, "of_best"_a, "depth"_a,
           nb::keep_alive<0, 1>())
      .def("of_units_in", &ListOptions::of_units_in, "parents"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>());
  nb::class_<Rankings>(m, "Rankings")
      .def("query_ids",
           [](const Rankings& of) {
             return ids(of.queries().size(), [&](std::uint32_t query) { return of.queries()[query]; });
           })
      .def("counts", &counts_of_lists, "name"_a);
  nb::class_<RankingPatterns>(m, "RankingPatterns")
      .def(nb::new_(&ranking_patterns), "judgments"_a, "ranking"_a, "ideal_starts"_a.noconvert().none(),
           "ideal_label"_a.noconvert().none(), nb::keep_alive<0, 1>())
      .def("find", &RankingPatterns::find, "query"_a.none(), "ranking"_a.none())
      .def("find_scores", &RankingPatterns::find_scores, "query"_a.none(), "scores"_a.none())
      .def("tabulate", &RankingPatterns::tabulate, "labels"_a.noconvert(), "ranks"_a, "tables"_a)
      .def("learn_divisors", &RankingPatterns::learn_divisors, "pattern"_a, "divisors"_a.noconvert())
      .def("values", &RankingPatterns::values, "query"_a.none(), "ranking"_a.none())
      .def("values_of_scores", &RankingPatterns::values_of_scores, "query"_a.none(), "scores"_a.none())
      .def("columns", &RankingPatterns::columns, "pattern"_a)
      .def("find_all", &RankingPatterns::find_all, "queries"_a, "rankings"_a, "threads"_a);
  nb::class_<IdTable>(m, "IdTable")
      .def("__len__", [](const IdTable& of) { return of.size(); })
      .def("__getitem__",
           [](const IdTable& of, std::uint32_t number) {
             if (number >= of.size()) throw nb::index_error("no id has this number");
             return decoded(of[number]);
           })
      .def("find", &numbers_of_ids, "ids"_a);
  nb::class_<Table>(m, "Table")
      .def("__len__", [](const Table& of) { return of.rows; })
      .def("select", &selected_columns, "columns"_a)
      .def("names",
           [](const Table& of) {
             return ids(of.columns.size(), [&](std::uint32_t i) { return std::string_view(of.columns[i].name); });
           })
      .def("formats", [](const Table& of) {
        return ids(of.columns.size(), [&](std::uint32_t i) { return std::string_view(of.columns[i].format); });
      });
  nb::class_<United>(m, "United")
      .def(nb::new_(&united), "runs"_a, "queries"_a.noconvert(), "threads"_a)
      .def("starts",
           [](nb::handle self) { return array_in<std::int64_t>(nb::cast<const United&>(self).starts(), self); })
      .def("at", &united_at)
      .def("run", &united_run, "run"_a)
      .def("order", &united_order, "scores"_a.noconvert(), "ties"_a, "threads"_a)
      .def("ids", &united_ids, "documents"_a.noconvert())
      .def("table", &united_table, "documents"_a.noconvert(), "scores"_a.noconvert(), "threads"_a = 1)
      .def("lines", &united_lines, "documents"_a.noconvert(), "scores"_a.noconvert(), "tag"_a, "threads"_a);

  const auto unlocked = nb::call_guard<Unlocked>();
  nb::class_<ByteStream>(m, "ByteStream")
      .def(nb::new_(&byte_stream), "rewind"_a)
      .def("push", &push_bytes, "piece"_a)
      .def("finish", &ByteStream::finish, unlocked)
      .def("fail", &ByteStream::fail, unlocked)
      .def("start", &ByteStream::start, unlocked)
      .def("stop", &ByteStream::stop, unlocked);
  nb::class_<TableStream>(m, "TableStream")
      .def(nb::new_(&table_stream), "capsule"_a.none())
      .def("empty", [](const TableStream& of) { return of.empty(); })
      .def("close", &TableStream::close)
      .def("next", &next_table);
  nb::class_<JudgmentsBuilder>(m, "JudgmentsBuilder")
      .def(nb::init<>())
      .def("add", &add_qrels_batch, "table"_a, "query"_a, "document"_a, "label"_a.none())
      .def("finish", &finished_qrels);
  const nb::class_<BatchedRun::Part> part(m, "RunPart");
  nb::class_<BatchedRun>(m, "BatchedRun")
      .def(nb::init<const Judgments&, const RankingOptions&, bool, bool>(), "judgments"_a, "ranking"_a, "has_number"_a,
           "by_rank"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def("part", &run_part, "table"_a, "query"_a, "document"_a, "number"_a.none(), "by_rank"_a)
      .def("merge", &merge_part, "ranked"_a)
      .def("close", &close_run)
      .def_prop_ro("interleaved", &BatchedRun::interleaved)
      .def("gather", &gather_batch, "table"_a, "query"_a, "document"_a, "number"_a.none(), "by_rank"_a)
      .def("finish", &finished_run);

  m.def("scanners", &scanners);
  m.def("reads_dict_entries", &reads_dict_entries);
  m.def("qrels_from_file", &qrels_from_file, "source"_a, "layout"_a, "threads"_a, "block_size"_a, "progress"_a.none());
  m.def("qrels_from_dict", &qrels_from_dict, "qrels"_a);
  m.def("align_file", &align_file, "source"_a, "layout"_a, "judgments"_a, "ranking"_a, "threads"_a, "block_size"_a,
        "progress"_a.none());
  m.def("rows_from_file", &rows_from_file, "source"_a, "layout"_a, "lenient"_a, "threads"_a, "block_size"_a,
        "progress"_a.none(), "queries"_a = nb::none());
  m.def("align_dict", &align_dict, "run"_a, "judgments"_a, "queries"_a, "documents"_a, "ranking"_a);
  m.def("align_plain_dict", &align_plain_dict, "run"_a, "judgments"_a, "queries"_a, "documents"_a, "ranking"_a);
  m.def("table_from_stream", &table_from_stream, "capsule"_a.none());
  m.def("table_from_array", &table_from_array, "schema"_a.none(), "array"_a.none());
  m.def("table_from_columns", &table_from_columns, "names"_a, "columns"_a, "queries"_a = 0, "threads"_a = 1);
  m.def("joined", &joined_tables, "tables"_a);
  m.def("copied", &copied, "table"_a);
  m.def("qrels_from_table", &qrels_from_table, "table"_a, "query"_a, "document"_a, "label"_a.none());
  m.def("qrels_from_rows", &qrels_from_rows, "queries"_a.noconvert(), "query_ids"_a, "documents"_a.noconvert(),
        "doc_ids"_a, "labels"_a.noconvert().none());
  m.def("align_table", &align_columns, "table"_a, "query"_a, "document"_a, "number"_a.none(), "by_rank"_a,
        "judgments"_a, "ranking"_a, "threads"_a);
  m.def("rows_of_pair", &rows_of_pair, "table"_a, "query"_a, "document"_a, "query_id"_a, "doc_id"_a);
  m.def("rows_of_query", &query_rows, "table"_a, "query"_a, "document"_a, "query_id"_a, "threads"_a);
  m.def("numbered", &numbered_ids, "table"_a, "column"_a);
  m.def("numbers", &column_numbers, "table"_a, "column"_a);
  m.def("nested", &nested_rows, "table"_a, "query"_a, "document"_a, "number"_a,
        nb::sig("def nested(table: Table, query: int, document: int, number: int) -> dict[str, dict[str, float]]"));
  m.def("align_rows", &align_rows, "labels"_a.noconvert().none(), "scores"_a.noconvert(), "starts"_a.noconvert(),
        "ids"_a.noconvert().none(), "ranking"_a, "threads"_a);
  m.def("align_numbered", &align_numbered_rows, "labels"_a.noconvert(), "starts"_a.noconvert(),
        "documents"_a.noconvert().none(), "run_starts"_a.noconvert(), "ids"_a.noconvert().none(),
        "scores"_a.noconvert().none(), "ranking"_a, "threads"_a, "own"_a.noconvert() = nb::none());
  m.def("fingerprint", &fingerprint_of, "values"_a.noconvert(), "finite"_a, "threads"_a);
  m.def("convert_whole", &convert_whole, "whole"_a.noconvert(), "doubles"_a.noconvert(), "threads"_a);
  m.def("sorted_rows", &sorted_rows, "labels"_a.noconvert(), "starts"_a.noconvert(), "lowest"_a, "most"_a, "threads"_a);
  m.def("rankings_from_file", &rankings_from_file, "source"_a, "layout"_a, "list"_a, "threads"_a, "block_size"_a,
        "progress"_a.none(), "extents"_a.noconvert().none() = nb::none());
  m.def("query_extents", &query_extents, "descriptor"_a, "layout"_a, "threads"_a, "block_size"_a, "progress"_a.none());
  m.def("rankings_from_dict", &rankings_from_dict, "run"_a, "list"_a);
  m.def("rankings_from_rows", &rankings_from_rows, "queries"_a.noconvert(), "query_ids"_a, "documents"_a.noconvert(),
        "doc_ids"_a, "scores"_a.noconvert(), "list"_a);
  m.def("paired", &paired_rankings, "a"_a, "b"_a, "queries_a"_a.noconvert(), "queries_b"_a.noconvert(), "threads"_a);
  m.def("distinct_pairs", &distinct_pairs, "first"_a.noconvert(), "second"_a.noconvert(), "firsts"_a, "seconds"_a);
  m.def("paired_judgments", &paired_judgments, "a"_a, "b"_a, "threads"_a);
  const auto def_neighbour_counts = [&m](auto count) {
    m.def("neighbour_counts", count, "truth"_a.noconvert(), "found"_a.noconvert(), "k"_a, "padding"_a.none(),
          "ends"_a.noconvert().none(), "first"_a, "threads"_a);
  };
  def_neighbour_counts(&neighbour_counts<std::int32_t>);
  def_neighbour_counts(&neighbour_counts<std::int64_t>);
  m.def("lines_in_file", &lines_in_file, "source"_a, "layout"_a, "query"_a, "document"_a);
  m.def("line_in_file", &line_in_file, "source"_a, "offset"_a);

  const auto def_per_query = [&m](const char* name, auto loop) {
    m.def(name, loop, "values"_a.noconvert(), "starts"_a.noconvert(), "out"_a.noconvert());
  };
  def_per_query("sum", &per_query<double, segment_sum, false>);
  def_per_query("count", &per_query<bool, segment_count, false>);
  def_per_query("cumsum", &per_query<double, segment_cumsum, true>);
  def_per_query("cumcount", &per_query<bool, segment_cumcount, true>);
  def_per_query("cumprod", &per_query<double, segment_cumprod, true>);
  def_per_query("earlier_lower", &py_earlier_lower);
  m.def("spread_rows", &spread_rows, "starts"_a.noconvert(), "at"_a.noconvert(), "firsts"_a.noconvert(),
        "values"_a.noconvert(), "absent"_a, "spread"_a.noconvert());
  m.def("fused_ranks", &py_fused_ranks, "starts"_a.noconvert(), "values"_a.noconvert(), "weights"_a.noconvert(),
        "divisors"_a, "places"_a.noconvert(), "judged_starts"_a.noconvert(), "judged"_a.noconvert(), "deepest"_a,
        "rank"_a.noconvert(), "tie_first"_a.noconvert(), "tie_last"_a.noconvert(), "threads"_a);
  m.def("hits", &py_hits, "label"_a.noconvert(), "rank"_a.noconvert(), "rel"_a, "k"_a, "out"_a.noconvert());
  const auto def_of_hits = [&m](const char* name, auto loop) {
    m.def(name, loop, "label"_a.noconvert(), "rank"_a.noconvert(), "starts"_a.noconvert(), "rel"_a, "k"_a,
          "out"_a.noconvert());
  };
  def_of_hits("found", &of_hits<segment_found>);
  def_of_hits("first_rank", &of_hits<segment_first_rank>);
  m.def("sum_where", &py_sum_where, "values"_a.noconvert(), "mask"_a.noconvert(), "starts"_a.noconvert(),
        "out"_a.noconvert());
  m.def("sum_to", &py_sum_to, "values"_a.noconvert(), "rank"_a.noconvert(), "starts"_a.noconvert(), "k"_a,
        "out"_a.noconvert());
  m.def("sum_of_first", &py_sum_of_first, "values"_a.noconvert(), "divisors"_a.noconvert(), "starts"_a.noconvert(),
        "k"_a, "out"_a.noconvert());
  m.def("steps", &py_steps, "values"_a.noconvert(), "starts"_a.noconvert());
  m.def("first", &py_first, "mask"_a.noconvert(), "values"_a.noconvert(), "starts"_a.noconvert(), "absent"_a,
        "out"_a.noconvert());
  m.def("ratio", &py_ratio, "part"_a.noconvert(), "whole"_a.noconvert(), "out"_a.noconvert());
}
