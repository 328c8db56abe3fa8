// Sorting whole rankings, and finding the documents of one in another.
#include "rankings.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "fault.hpp"
#include "shared_queries.hpp"

namespace rankmark {

void ListRanker::hash(std::span<const std::string_view> ids) {
  hashes_.clear();
  for (const std::string_view id : ids) hashes_.push_back(hash_id(id));
}

ListCounts ListRanker::rank(std::string_view query_id, std::span<const std::string_view> ids,
                            std::span<const double> scores, RankedDocuments& ranked, bool distinct) {
  check_rankable(ids.size());
  ListCounts counts;
  counts.rises = rises_of(scores);
  if (options_.negated) {
    negated_.resize(scores.size());
    std::transform(scores.begin(), scores.end(), negated_.begin(), std::negate<>());
    scores = negated_;
  }
  const bool grouped = options_.units.tell_repeats();
  if (grouped) distinct |= units_.group(ids, scores);
  // Units are not what is hashed in the end.
  if (!distinct || !options_.units.any()) hash(ids);
  if (!distinct) {
    const auto id_of = [ids](std::size_t row) { return ids[row]; };
    const std::size_t repeated = rows_by_id_.start(hashes_, 0, id_of);
    if (repeated < ids.size()) throw DuplicateFault(std::string(query_id), std::string(ids[repeated]));
  }
  if (options_.units.any()) {
    if (!grouped) units_.group(ids, scores);
    counts.units = units_.combine(scores);
    ids = units_.documents();
    scores = units_.scores();
    hash(ids);
  }
  counts.given = static_cast<std::int64_t>(ids.size());

  select(scores);
  const auto append = [&](std::uint32_t row, std::size_t first, std::size_t last) {
    ranked.rows.push_back({IdSpan(ranked.bytes.size(), ids[row].size()), hashes_[row], scores[row],
                           static_cast<std::int32_t>(first), static_cast<std::int32_t>(last)});
    ranked.bytes.append(ids[row]);
  };
  const auto deepest = static_cast<std::size_t>(options_.deepest);
  for (std::size_t first = 0, last; first < rows_.size() && first < deepest; first = last) {
    last = first + 1;
    while (last < rows_.size() && scores[rows_[last]] == scores[rows_[first]]) ++last;
    const std::size_t end = options_.broken ? std::min(last, deepest) : last;
    counts.tied += last - first > 1 ? static_cast<std::int64_t>(end - first) : 0;
    if (!options_.broken) {
      for (std::size_t i = first; i < last; ++i) append(rows_[i], first + 1, last);
      continue;
    }
    if (*options_.broken != Ties::input && last - first > 1) {
      const bool up = *options_.broken == Ties::docid_asc;
      std::sort(rows_.begin() + static_cast<std::ptrdiff_t>(first), rows_.begin() + static_cast<std::ptrdiff_t>(last),
                [&](std::uint32_t a, std::uint32_t b) { return up ? ids[a] < ids[b] : ids[a] > ids[b]; });
    }
    for (std::size_t i = first; i < end; ++i) append(rows_[i], i + 1, i + 1);
  }
  return counts;
}

void ListRanker::select(std::span<const double> scores) {
  const std::size_t rows = scores.size(), deepest = std::min(rows, static_cast<std::size_t>(options_.deepest));
  if (std::is_sorted(scores.begin(), scores.end(), std::greater<>())) {
    // Up to the last that is kept, and all that tie with it.
    std::size_t end = deepest;
    while (end > 0 && end < rows && scores[end] == scores[end - 1]) ++end;
    rows_.resize(end);
    std::iota(rows_.begin(), rows_.end(), 0U);
    return;
  }
  rows_.resize(rows);
  std::iota(rows_.begin(), rows_.end(), 0U);
  if (deepest < rows) {
    const auto last = rows_.begin() + static_cast<std::ptrdiff_t>(deepest - 1);
    std::nth_element(rows_.begin(), last, rows_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
    const double lowest = scores[*last];
    std::erase_if(rows_, [&](std::uint32_t row) { return scores[row] < lowest; });
  }
  std::sort(rows_.begin(), rows_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
  });
}

void Rankings::put(std::string_view query_id, List list) {
  const std::uint32_t query = queries_.find_or_add(query_id);
  lists_.resize(queries_.size());
  lists_[query] = std::move(list);
}

Rankings rank_rows(const RunRows& rows, const ListOptions& options, const Poll& poll) {
  const std::size_t queries = rows.query_ids.size();
  std::vector<std::size_t> starts(queries + 1);
  for (const std::uint32_t query : rows.queries) ++starts[query + std::size_t{1}];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::size_t> by_query(rows.queries.size()), next(starts.begin(), starts.end() - 1);
  for (std::size_t row = 0; row < rows.queries.size(); ++row) by_query[next[rows.queries[row]]++] = row;

  Rankings rankings;
  ListRanker ranker(options);
  const auto ranked = std::make_shared<RankedDocuments>();
  std::vector<std::string_view> ids;
  std::vector<double> scores;
  Polling polling(poll);
  for (std::size_t q = 0; q < queries; ++q) {
    ids.clear();
    scores.clear();
    for (std::size_t i = starts[q]; i < starts[q + 1]; ++i) {
      ids.push_back(rows.document_ids[rows.documents[by_query[i]]]);
      scores.push_back(rows.scores[by_query[i]]);
    }
    const std::size_t first = ranked->size();
    const ListCounts counts = ranker.rank(rows.query_ids[q], ids, scores, *ranked);
    rankings.put(rows.query_ids[q], {ranked, first, ranked->size() - first, counts});
    polling(starts[q + 1]);
  }
  return rankings;
}

Paired paired(const Rankings& a, const Rankings& b, std::span<const std::int64_t> queries_a,
              std::span<const std::int64_t> queries_b, int threads, const Poll& poll) {
  const Rankings::List nothing;
  const auto list = [&nothing](const Rankings& side, std::int64_t query) -> const Rankings::List& {
    return query < 0 ? nothing : side.list(static_cast<std::uint32_t>(query));
  };
  const auto starts = [&](const Rankings& side, std::span<const std::int64_t> queries) {
    std::vector<std::int64_t> begins{0};
    for (const std::int64_t query : queries) {
      begins.push_back(begins.back() + static_cast<std::int64_t>(list(side, query).count));
    }
    return begins;
  };
  Paired pairs;
  pairs.starts_a = starts(a, queries_a);
  pairs.starts_b = starts(b, queries_b);
  const auto rows_a = static_cast<std::size_t>(pairs.starts_a.back()),
             rows_b = static_cast<std::size_t>(pairs.starts_b.back());
  for (auto* column : {&pairs.first_a, &pairs.last_a}) column->resize(rows_a);
  for (auto* column : {&pairs.first_b, &pairs.last_b}) column->resize(rows_b);
  pairs.at.resize(rows_a);

  const auto copy = [](const Rankings::List& list, std::int64_t place, std::vector<std::int32_t>& first,
                       std::vector<std::int32_t>& last) {
    for (std::size_t row = 0; row < list.count; ++row) {
      first[static_cast<std::size_t>(place) + row] = list[row].tie_first;
      last[static_cast<std::size_t>(place) + row] = list[row].tie_last;
    }
  };
  share_out_queries(static_cast<std::uint32_t>(queries_a.size()), threads, poll, [&] {
    return [&, hashes = std::vector<std::uint64_t>(), rows = RowsById()](std::uint32_t q) mutable {
      const Rankings::List &of_a = list(a, queries_a[q]), &of_b = list(b, queries_b[q]);
      copy(of_a, pairs.starts_a[q], pairs.first_a, pairs.last_a);
      copy(of_b, pairs.starts_b[q], pairs.first_b, pairs.last_b);
      hashes.clear();
      for (std::size_t row = 0; row < of_b.count; ++row) hashes.push_back(of_b[row].hash);
      const auto id_of = [&](std::size_t row) { return of_b.id(row); };
      rows.start(hashes, of_a.count, id_of);  // none is repeated
      for (std::size_t row = 0; row < of_a.count; ++row) {
        const std::size_t there = rows.find(of_a.id(row), of_a[row].hash, id_of);
        pairs.at[static_cast<std::size_t>(pairs.starts_a[q]) + row] =
            there == of_b.count ? -1 : pairs.starts_b[q] + static_cast<std::int64_t>(there);
      }
    };
  });
  return pairs;
}

}  // namespace rankmark
