// Between Python's objects and the core's.
#include "convert.hpp"

#include <algorithm>
#include <iterator>

#include "values.hpp"

namespace rankmark {

nb::str decoded(std::string_view bytes) {
  const auto size = static_cast<Py_ssize_t>(bytes.size());
  return nb::steal<nb::str>(owned(PyUnicode_DecodeUTF8(bytes.data(), size, "surrogateescape")));
}

std::optional<std::string_view> encoded_utf8_of(PyObject* text) {
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (bytes == nullptr) {
    taken_failure();
    return std::nullopt;
  }
  return std::string_view(bytes, static_cast<std::size_t>(size));
}

Array<std::int64_t> numbers_of_ids(const IdTable& table, const nb::list& wanted) {
  std::vector<std::int64_t> numbers;
  numbers.reserve(wanted.size());
  for (const nb::handle id : wanted) {
    const nb::object bytes = nb::steal(owned(PyUnicode_AsEncodedString(id.ptr(), "utf-8", "surrogateescape")));
    const std::uint32_t number =
        table.find({PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))});
    numbers.push_back(number == IdTable::kAbsent ? -1 : static_cast<std::int64_t>(number));
  }
  return to_array(std::move(numbers));
}

nb::object taken_failure() {
  if (PyErr_Occurred() == nullptr) return nb::none();
  nb::python_error error;
  if (!error.matches(PyExc_Exception)) throw error;
  const nb::object failure = borrowed(error.value().ptr());
  if (error.traceback().is_valid()) PyException_SetTraceback(failure.ptr(), error.traceback().ptr());
  return failure;
}

void let_signals_through(std::uint64_t) {
  const Locked locked;
  if (PyErr_CheckSignals() != 0) nb::raise_python_error();
}

ReadOptions read_options(int threads, std::size_t block_size, const nb::object& progress) {
  if (block_size == 0 || block_size > (std::size_t{1} << 30)) throw nb::value_error("block_size is 1 to 2^30");
  return {threads, block_size, [progress](std::uint64_t done) {
            let_signals_through(done);
            const Locked locked;
            if (!progress.is_none()) progress(done);
          }};
}

namespace {
constexpr std::string_view kDuplicates[] = {"error", "first", "best"};                     // as Duplicates has them
constexpr std::string_view kCombine[] = {"best", "first", "sum", "mean", "count", "rrf"};  // as Combine has them
}  // namespace

std::string_view name_of_duplicates(const RankingOptions& options) noexcept {
  return kDuplicates[static_cast<std::size_t>(options.duplicates)];
}

std::string_view name_of_ties(const RankingOptions& options) noexcept {
  return options.ties == Ties::docid ? "docid" : options.ties == Ties::docid_asc ? "docid-asc" : "input";
}

Ties ties_named(std::string_view name) {
  if (name == "docid") return Ties::docid;
  if (name == "docid-asc") return Ties::docid_asc;
  if (name == "input") return Ties::input;
  throw nb::value_error("ties must be docid, docid-asc or input");
}

void order_units(UnitOptions& units, Ties ties) noexcept {
  units.higher_id_first = ties != Ties::docid_asc;
  units.by_row = ties == Ties::input;
}

RankingOptions ranking_options(std::string_view ties, std::int64_t depth, bool judged_only, bool drop_self,
                               std::string_view duplicates, bool single, double lowest, std::int64_t deepest,
                               std::uint64_t memory) {
  RankingOptions options{ties_named(ties),  depth,  judged_only, lowest, deepest, drop_self,
                         Duplicates::error, single, nullptr,     memory};
  const auto named = std::find(std::begin(kDuplicates), std::end(kDuplicates), duplicates);
  if (named == std::end(kDuplicates)) throw nb::value_error("duplicates must be error, first or best");
  if (depth < 1 || deepest < 1) throw nb::value_error("depth and deepest must be at least 1");
  options.duplicates = static_cast<Duplicates>(named - std::begin(kDuplicates));
  order_units(options.units, options.ties);
  return options;
}

Parents* parents_of(const nb::list& units, const nb::list& documents) {
  if (units.size() != documents.size()) throw nb::value_error("each unit has one document");
  auto parents = std::make_unique<Parents>();
  for (std::size_t i = 0; i < units.size(); ++i) {
    const auto unit = nb::cast<nb::bytes>(units[i]), document = nb::cast<nb::bytes>(documents[i]);
    parents->set({unit.c_str(), unit.size()}, {document.c_str(), document.size()});
  }
  return parents.release();
}

UnitOptions combined_units(UnitOptions units, std::string_view separator, std::string_view combine,
                           std::int64_t of_best, std::int64_t depth) {
  units.separator = separator;
  const auto named = std::find(std::begin(kCombine), std::end(kCombine), combine);
  if (named == std::end(kCombine)) throw nb::value_error("combine must be best, first, sum, mean, count or rrf");
  units.combine = static_cast<Combine>(named - std::begin(kCombine));
  if (of_best < 1 || depth < 1) throw nb::value_error("units are counted from 1");
  units.of_best = of_best;
  units.depth = depth;
  return units;
}

nb::tuple columns_tuple(AlignedColumns&& columns) {
  const auto if_any = [](std::vector<std::int32_t>&& column) -> nb::object {
    return column.empty() ? nb::none() : as_array(std::move(column));
  };
  return nb::make_tuple(as_array(std::move(columns.starts)), as_array(std::move(columns.rank)),
                        as_array(std::move(columns.label)), if_any(std::move(columns.tie_first)),
                        if_any(std::move(columns.tie_last)),
                        as_table(std::move(columns.counts), AlignedColumns::kCounts));
}

nb::tuple run_tuple(AlignedRun&& run) {
  nb::list examples;
  for (const std::string& id : run.run_only_examples) examples.append(decoded(id));
  return nb::make_tuple(columns_tuple(std::move(run.columns)), run.run_only, examples, run.rows, run.extra_columns,
                        run.interleaved);
}

}  // namespace rankmark
