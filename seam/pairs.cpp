// Whole rankings, and two runs' rankings or two sets of judgments brought together.
#include "pairs.hpp"

#include <algorithm>

#include "dict_runs.hpp"
#include "judgment_pairs.hpp"
#include "query_extents.hpp"
#include "readers.hpp"

namespace rankmark {
namespace {

// Ids as files have them, of text as Python has it.
class EncodedIds {
 public:
  explicit EncodedIds(const nb::list& ids) {
    for (const nb::handle id : ids) {
      const std::optional<std::string_view> text = utf8_of(id.ptr());
      if (text) {
        texts_.push_back(*text);  // the list keeps it
        continue;
      }
      kept_.push_back(nb::steal(owned(PyUnicode_AsEncodedString(id.ptr(), "utf-8", "surrogateescape"))));
      PyObject* const bytes = kept_.back().ptr();
      texts_.emplace_back(PyBytes_AS_STRING(bytes), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes)));
    }
  }

  std::span<const std::string_view> texts() const noexcept { return texts_; }

 private:
  std::vector<nb::object> kept_;
  std::vector<std::string_view> texts_;
};

void check_numbers_below(std::span<const std::uint32_t> numbers, std::size_t limit) {
  if (std::any_of(numbers.begin(), numbers.end(), [limit](std::uint32_t number) { return number >= limit; })) {
    throw nb::index_error("no id has this number");
  }
}

void check_queries(std::span<const std::int64_t> queries, const Rankings& of) {
  for (const std::int64_t query : queries) {
    if (query < -1 || query >= static_cast<std::int64_t>(of.queries().size())) {
      throw nb::index_error("no query has this number");
    }
  }
}

}  // namespace

ListOptions list_options(std::string_view ties, std::int64_t deepest, bool negated) {
  if (deepest < 1) throw nb::value_error("deepest must be at least 1");
  ListOptions options{std::nullopt, deepest, negated};
  if (ties.empty()) return options;
  options.broken = ties_named(ties);
  order_units(options.units, *options.broken);
  return options;
}

nb::tuple rankings_from_file(const Bytes& source, const TextLayout& layout, const ListOptions& list, int threads,
                             std::size_t block_size, const nb::object& progress,
                             const std::optional<Input<std::int64_t>>& extents) {
  const ReadOptions options = read_options(threads, block_size, progress);
  const int* const descriptor = std::get_if<int>(&source);
  if (extents && descriptor == nullptr) throw nb::value_error("a stream has no extents");
  std::vector<Extent> chosen;
  if (extents) {
    const std::span<const std::int64_t> ends = span_of(*extents);
    for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
      if (ends[i] < 0 || ends[i + 1] < ends[i]) throw nb::value_error("an extent ends before it begins");
      chosen.push_back({static_cast<std::uint64_t>(ends[i]), static_cast<std::uint64_t>(ends[i + 1])});
    }
  }
  RankingsRead read = [&] {
    const Unlocked unlocked;
    const File file = extents ? File(*descriptor, std::move(chosen)) : file_of(source);
    return read_rankings(file, layout, list, options);
  }();
  return nb::make_tuple(std::move(read.rankings), read.counts.rows);
}

nb::tuple query_extents(int descriptor, const TextLayout& layout, int threads, std::size_t block_size,
                        const nb::object& progress) {
  const ReadOptions options = read_options(threads, block_size, progress);
  QueryExtents found = [&] {
    const Unlocked unlocked;
    return find_extents(File(descriptor), layout, options);
  }();
  std::vector<std::int64_t> begins, ends;
  for (const Extent& extent : found.extents) {
    begins.push_back(static_cast<std::int64_t>(extent.begin));
    ends.push_back(static_cast<std::int64_t>(extent.end));
  }
  return nb::make_tuple(ids(found.queries.size(), [&](std::uint32_t query) { return found.queries[query]; }),
                        to_array(std::move(found.query)), to_array(std::move(begins)), to_array(std::move(ends)));
}

Judgments qrels_from_rows(const Input<std::uint32_t>& queries, const nb::list& query_ids,
                          const Input<std::uint32_t>& documents, const nb::list& doc_ids,
                          const std::optional<Input<double>>& labels) {
  if (documents.size() != queries.size() || (labels && labels->size() != queries.size())) {
    throw nb::value_error("columns must be equally long");
  }
  const EncodedIds names(query_ids), texts(doc_ids);
  check_numbers_below(span_of(queries), names.texts().size());
  check_numbers_below(span_of(documents), texts.texts().size());
  const Unlocked unlocked;
  return JudgmentsBuilder::of_rows({span_of(queries), names.texts(), span_of(documents), texts.texts(),
                                    labels ? span_of(*labels) : std::span<const double>()});
}

Rankings rankings_from_rows(const Input<std::uint32_t>& queries, const nb::list& query_ids,
                            const Input<std::uint32_t>& documents, const nb::list& doc_ids, const Input<double>& scores,
                            const ListOptions& list) {
  if (documents.size() != queries.size() || scores.size() != queries.size()) {
    throw nb::value_error("columns must be equally long");
  }
  const EncodedIds names(query_ids), texts(doc_ids);
  check_numbers_below(span_of(queries), names.texts().size());
  check_numbers_below(span_of(documents), texts.texts().size());
  const Unlocked unlocked;
  return rank_rows({span_of(queries), names.texts(), span_of(documents), texts.texts(), span_of(scores)}, list,
                   let_signals_through);
}

std::optional<Rankings> rankings_from_dict(const nb::dict& run, const ListOptions& list) {
  try {
    return rankings_of_plain_dicts(run, list);
  } catch (const NotPlain&) {
    return std::nullopt;
  }
}

nb::tuple paired_rankings(const Rankings& a, const Rankings& b, const Input<std::int64_t>& queries_a,
                          const Input<std::int64_t>& queries_b, int threads) {
  if (queries_a.size() != queries_b.size()) throw nb::value_error("as many queries of a as of b");
  check_queries(span_of(queries_a), a);
  check_queries(span_of(queries_b), b);
  Paired pairs = [&] {
    const Unlocked unlocked;
    return paired(a, b, span_of(queries_a), span_of(queries_b), threads, let_signals_through);
  }();
  return nb::make_tuple(to_array(std::move(pairs.starts_a)), to_array(std::move(pairs.starts_b)),
                        to_array(std::move(pairs.first_a)), to_array(std::move(pairs.last_a)),
                        to_array(std::move(pairs.first_b)), to_array(std::move(pairs.last_b)),
                        to_array(std::move(pairs.at)));
}

Array<std::int64_t> paired_judgments(const Judgments& a, const Judgments& b, int threads) {
  std::vector<std::int64_t> rows = [&] {
    const Unlocked unlocked;
    return rows_in(a, b, threads, let_signals_through);
  }();
  return to_array(std::move(rows));
}

nb::tuple distinct_pairs(const Input<std::uint32_t>& first, const Input<std::uint32_t>& second, std::size_t firsts,
                         std::size_t seconds) {
  if (first.size() != second.size()) throw nb::value_error("columns must be equally long");
  check_numbers_below(span_of(first), firsts);
  check_numbers_below(span_of(second), seconds);
  Distinct found = [&] {
    const Unlocked unlocked;
    return distinct_pairs(span_of(first), span_of(second), firsts, seconds);
  }();
  return nb::make_tuple(to_array(std::move(found.starts)), to_array(std::move(found.second)));
}

nb::list documents_of_rows(const Judgments& of, const Input<std::int64_t>& rows) {
  nb::list found;
  for (const std::int64_t row : span_of(rows)) {
    if (row < 0 || row >= static_cast<std::int64_t>(of.labels().size())) throw nb::index_error("there is no such row");
    found.append(decoded(of.document_id(static_cast<std::uint32_t>(row))));
  }
  return found;
}

}  // namespace rankmark
