// Matching the documents of one query by hash, then ranking those that are judged.
#include "query.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string>
#include <type_traits>
#include <utility>

#include "fault.hpp"

namespace rankmark {
namespace {

bool read_id(std::string_view text, std::string_view& id) noexcept {
  id = text;
  return true;
}

// Only digits as they are written out are the same id: `01` and `+1` are others than 1.
bool read_id(std::string_view text, std::int64_t& id) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  const std::string_view digits = text.substr(text.front() == '-' ? 1 : 0);
  return digits.front() != '0' || text.size() == 1;
}

std::string text_of(std::string_view id) { return std::string(id); }
std::string text_of(std::int64_t id) { return std::to_string(id); }

}  // namespace

QueryCounts QueryRanker::rank(std::uint32_t query, std::string_view query_id, std::span<const std::string_view> ids,
                              std::span<const double> scores, std::vector<Hit>& hits) {
  hashes_.clear();
  for (const std::string_view id : ids) hashes_.push_back(hash_id(id));
  return rank_ids(query, query_id, ids, hashes_, scores, hits);
}

QueryCounts QueryRanker::rank(std::uint32_t query, std::string_view query_id, std::span<const std::int64_t> ids,
                              std::span<const double> scores, std::vector<Hit>& hits) {
  hashes_.clear();
  for (const std::int64_t id : ids) hashes_.push_back(hash_id(id));
  return rank_ids(query, query_id, ids, hashes_, scores, hits);
}

QueryCounts QueryRanker::rank(std::uint32_t query, std::string_view query_id, const TextIds& ids,
                              std::span<const double> scores, std::vector<Hit>& hits) {
  return rank_ids(query, query_id, ids, ids.hashes, scores, hits);
}

template <class Ids>
QueryCounts QueryRanker::rank_ids(std::uint32_t query, std::string_view query_id, Ids ids,
                                  std::span<const std::uint64_t> hashes, std::span<const double> scores,
                                  std::vector<Hit>& hits) {
  using Id = std::remove_cv_t<std::remove_reference_t<decltype(ids[0])>>;
  const std::size_t given = ids.size();
  const auto starts = judgments_.starts();
  const std::size_t judgments =
      query == Judgments::kUnjudged ? 0 : static_cast<std::size_t>(starts[query + std::size_t{1}] - starts[query]);
  const auto id_of = [&ids](std::size_t row) { return ids[row]; };
  const std::size_t repeated = rows_by_id_.start(hashes, judgments, id_of);
  if (repeated < given && options_.duplicates == Duplicates::error) {
    throw DuplicateFault(std::string(query_id), text_of(ids[repeated]));
  }
  if (query == Judgments::kUnjudged) return {};
  if (options_.single) {
    own_scores_.assign(scores.begin(), scores.end());
    for (double& score : own_scores_) score = options_.held(score);
    scores = own_scores_;
  }
  if (repeated < given) {
    leave_out_duplicates(ids, hashes, scores);
    rows_by_id_.start(hashes, judgments, id_of);
  }

  // The judged documents are looked up among the retrieved, which are many more as a rule.
  const std::size_t rows = ids.size();
  const auto find = [&](std::string_view text) {
    Id id;
    return read_id(text, id) ? rows_by_id_.find(id, hash_id(id), id_of) : rows;
  };
  const std::size_t own = find(query_id);
  dropped_.clear();
  if (options_.drop_self && own < rows) dropped_.push_back(own);
  std::int64_t seen = 0;
  if (options_.seen != nullptr) {
    each_seen(query_id, [&](std::string_view document) {
      const std::size_t row = find(document);
      if (row == rows) return;
      ++seen;
      if (!options_.drop_self || row != own) dropped_.push_back(row);
    });
    std::sort(dropped_.begin(), dropped_.end());
  }
  const auto dropped_before = [&](std::size_t row) {
    return static_cast<std::size_t>(std::lower_bound(dropped_.begin(), dropped_.end(), row) - dropped_.begin());
  };
  matches_.clear();
  for (std::int64_t judged = starts[query]; judged < starts[query + std::size_t{1}]; ++judged) {
    const auto number = static_cast<std::uint32_t>(judged);
    const std::size_t row = find(judgments_.document_id(number));
    if (row == rows) continue;
    const std::size_t moved = dropped_before(row);
    if (moved < dropped_.size() && dropped_[moved] == row) continue;
    matches_.push_back({scores[row], number, static_cast<std::uint32_t>(row - moved)});
  }
  if (!dropped_.empty()) {
    kept_.clear();
    auto next = dropped_.begin();
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (next != dropped_.end() && *next == row) {
        ++next;
      } else {
        kept_.push_back(row);
      }
    }
    keep(ids, scores);
  }
  written_.start();
  const auto text = [&](std::size_t row) {
    if constexpr (std::is_same_v<Id, std::string_view>) {
      return ids[row];
    } else {
      return written_.text(row, ids.size(), [&](std::size_t i) { return ids[i]; });
    }
  };
  QueryCounts counts = ranker_.rank(scores, matches_, text, judgments_, hits);
  counts.self_matches = own < rows ? 1 : 0;
  counts.duplicates = static_cast<std::int64_t>(given - rows);
  counts.seen = seen;
  return counts;
}

template <class Use>
void QueryRanker::each_seen(std::string_view query_id, const Use& use) const {
  const std::uint32_t query = options_.seen->find_query(query_id);
  if (query == IdTable::kAbsent) return;
  const auto starts = options_.seen->starts();
  for (std::int64_t row = starts[query]; row < starts[query + std::size_t{1}]; ++row) {
    const auto number = static_cast<std::uint32_t>(row);
    if (options_.seen->label(number) != 0) use(options_.seen->document_id(number));
  }
}

template <class Ids>
void QueryRanker::leave_out_duplicates(Ids& ids, std::span<const std::uint64_t>& hashes,
                                       std::span<const double>& scores) {
  slots_.assign(std::bit_ceil(2 * ids.size()), IdTable::kAbsent);
  const std::uint64_t mask = slots_.size() - 1;
  for (std::uint32_t row = 0; row < ids.size(); ++row) {
    std::uint64_t slot = hashes[row] & mask;
    const auto is_other = [&](std::uint32_t taken) { return hashes[taken] != hashes[row] || ids[taken] != ids[row]; };
    while (slots_[slot] != IdTable::kAbsent && is_other(slots_[slot])) slot = (slot + 1) & mask;
    const bool better = slots_[slot] != IdTable::kAbsent && options_.duplicates == Duplicates::best &&
                        scores[row] > scores[slots_[slot]];
    if (slots_[slot] == IdTable::kAbsent || better) slots_[slot] = row;
  }
  kept_.clear();
  for (const std::uint32_t row : slots_) {
    if (row != IdTable::kAbsent) kept_.push_back(row);
  }
  std::sort(kept_.begin(), kept_.end());
  keep(ids, scores);
  hashes_.resize(std::max(hashes_.size(), kept_.size()));
  for (std::size_t row = 0; row < kept_.size(); ++row) hashes_[row] = hashes[kept_[row]];
  hashes = std::span<const std::uint64_t>(hashes_).first(kept_.size());
}

namespace {

template <class Id>
Id kept(std::span<const Id> ids, std::uint32_t row) noexcept {
  return ids[row];
}
IdSpan kept(const TextIds& ids, std::uint32_t row) noexcept { return ids.places[row]; }

template <class Id>
void replace(std::span<const Id>& ids, std::span<const Id> own) noexcept {
  ids = own;
}
void replace(TextIds& ids, std::span<const IdSpan> own) noexcept { ids.places = own; }

}  // namespace

template <class Ids>
void QueryRanker::keep(Ids& ids, std::span<const double>& scores) {
  auto& own_ids = std::get<std::vector<decltype(kept(ids, 0))>>(own_ids_);
  // Where they are our own already, they are as long, and stay where they are.
  own_ids.resize(std::max(own_ids.size(), kept_.size()));
  own_scores_.resize(std::max(own_scores_.size(), kept_.size()));
  for (std::size_t place = 0; place < kept_.size(); ++place) {
    own_ids[place] = kept(ids, kept_[place]);
    own_scores_[place] = scores[kept_[place]];
  }
  replace(ids, std::span(std::as_const(own_ids)).first(kept_.size()));
  scores = std::span<const double>(own_scores_).first(kept_.size());
}

}  // namespace rankmark
