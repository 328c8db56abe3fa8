// Runs read query by query: a target ranks the rows of a query as soon as they are whole.
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blocks.hpp"
#include "ids.hpp"
#include "layout.hpp"
#include "line_segments.hpp"
#include "query.hpp"
#include "ranking.hpp"

namespace rankmark {

// A segment of a run that outlives its block or its table. `text` holds the ids.
struct KeptSegment {
  std::string query_id;
  std::vector<double> scores;
  std::vector<IdSpan> documents;
  std::string text;

  void append(const KeptSegment& later) {
    scores.insert(scores.end(), later.scores.begin(), later.scores.end());
    for (const IdSpan document : later.documents) documents.push_back(document.moved_by(text.size()));
    text += later.text;
  }
};

// Where the segments of a run go. Its ranker, one for each thread, appends what is kept of a query to rows, and
// returns what else is; `put` and `replace` are handed both, in the order of the file.
template <class Target>
concept RunTarget =
    std::default_initializable<typename Target::Rows> &&
    requires(Target& target, const Target& fixed, typename Target::Ranker& rank, typename Target::Rows& rows,
             const typename Target::Rows& ranked, const typename Target::Outcome& outcome, std::string_view id,
             std::span<const std::string_view> ids, const TextIds& in_text, std::span<const double> scores,
             std::size_t first, std::size_t count) {
      { fixed.ranker() } -> std::same_as<typename Target::Ranker>;
      // Whether its ranker needs the hashes of ids in a text.
      { fixed.needs_hashes() } -> std::same_as<bool>;
      { rank(id, ids, scores, rows) } -> std::same_as<typename Target::Outcome>;
      { rank(id, in_text, scores, rows) } -> std::same_as<typename Target::Outcome>;
      { ranked.size() } -> std::convertible_to<std::size_t>;
      rows.clear();
      // False where the query was put before; then nothing changes.
      { target.put(id, outcome, ranked, first, count) } -> std::same_as<bool>;
      // It will be put in later; queries are numbered in the order in which they are known.
      { target.expect(id) } -> std::same_as<void>;
      // Takes the place of what was put, or is the first.
      { target.replace(id, outcome, ranked, first, count) } -> std::same_as<void>;
    };

// What a target makes of one query. Its rows follow those of the query before.
template <RunTarget Target>
struct RankedQuery {
  std::string id;
  typename Target::Outcome outcome;
  std::size_t rows;
};

// Hands whole queries to a target's ranker; one for each thread.
template <RunTarget Target>
class SegmentRanker {
 public:
  // Of rows without scores the first is the best.
  SegmentRanker(const Target& target, bool has_scores)
      : rank_(target.ranker()), hashed_(target.needs_hashes()), has_scores_(has_scores) {}

  RankedQuery<Target> operator()(const KeptSegment& segment, typename Target::Rows& rows) {
    hashes_.clear();
    for (std::size_t row = 0; hashed_ && row < segment.documents.size(); ++row) {
      hashes_.push_back(hash_id(segment.documents[row].in(segment.text.data())));
    }
    return (*this)(segment.query_id, TextIds{segment.text.data(), segment.documents, hashes_}, segment.scores, rows);
  }

  template <class Ids>
  RankedQuery<Target> operator()(std::string_view query_id, const Ids& ids, std::span<const double> scores,
                                 typename Target::Rows& rows) {
    const std::size_t before = rows.size();
    auto outcome = rank_(query_id, ids, has_scores_ ? scores : places_.of(ids.size()), rows);
    return {std::string(query_id), std::move(outcome), rows.size() - before};
  }

 private:
  typename Target::Ranker rank_;
  bool hashed_, has_scores_;
  PlaceScores places_;
  std::vector<std::uint64_t> hashes_;
};

// One block's worth. The first and the last segment may go on in the neighbouring blocks and stay
// open; those between are ranked already.
template <RunTarget Target>
struct RunPart {
  std::vector<KeptSegment> open;  // none, the only segment, or first and last
  std::vector<RankedQuery<Target>> ranked;
  typename Target::Rows rows;
  FileCounts counts;
  std::exception_ptr fault;  // what stopped the parser behind all this
};

template <RunTarget Target>
class RunParser {
 public:
  RunParser(const TextLayout& layout, const Target& target)
      : rank_segment_(target, layout.order().has_value()), reader_(layout, target.needs_hashes()) {}

  RunPart<Target> operator()(const Block& block) {
    RunPart<Target> part;
    try {
      reader_.read(block, part.counts, [&](std::string_view query, SegmentRows& rows, bool last) {
        if (part.open.empty() || last) {
          part.open.push_back(copied(query, rows));
        } else {
          part.ranked.push_back(rank_segment_(query, rows.ids(), rows.numbers(), part.rows));
        }
        rows.clear();
      });
    } catch (...) {
      part.fault = std::current_exception();
    }
    return part;
  }

 private:
  // With the piece of the block that holds its ids.
  static KeptSegment copied(std::string_view query, const SegmentRows& rows) {
    const TextIds ids = rows.ids();
    const std::string_view first = ids[0], last = ids[ids.size() - 1];
    const auto shift = static_cast<std::uint64_t>(first.data() - ids.text);
    KeptSegment segment;
    segment.query_id = query;
    segment.scores.assign(rows.numbers().begin(), rows.numbers().end());
    segment.documents.reserve(ids.size());
    for (const IdSpan place : ids.places) segment.documents.push_back(place.moved_by(std::uint64_t{0} - shift));
    segment.text.assign(first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data()));
    return segment;
  }

  SegmentRanker<Target> rank_segment_;
  SegmentReader reader_;
};

// So many queries come back that ranking them before they are whole is in vain.
class MostlyInterleaved : public std::exception {};
inline constexpr std::uint64_t kManyReturned = 4096;

// Puts the parts together, in file order.
template <RunTarget Target>
class RunMerger {
 public:
  // Where it `stops`, it throws MostlyInterleaved as soon as that is so.
  RunMerger(Target& target, bool has_scores, bool stops)
      : target_(target), rank_segment_(target, has_scores), stops_(stops) {}

  void operator()(RunPart<Target>&& part) {
    counts_.add(part.counts);
    if (!part.open.empty()) {
      KeptSegment& first = part.open.front();
      if (open_ && open_->query_id == first.query_id) {
        open_->append(first);
      } else {
        close();
        open_ = std::move(first);
      }
    }
    if (!part.ranked.empty() || part.open.size() > 1) close();
    std::size_t row = 0;
    for (const RankedQuery<Target>& ranked : part.ranked) {
      put(ranked, part.rows, row);
      row += ranked.rows;
    }
    if (part.open.size() > 1) {
      open_ = std::move(part.open.back());
    }
    if (part.fault) {
      close();
      std::rethrow_exception(part.fault);
    }
  }

  // Ranks the open segment, if there is one.
  void close() {
    if (!open_) return;
    const KeptSegment segment = *std::exchange(open_, std::nullopt);
    rows_.clear();
    const RankedQuery<Target> ranked = rank_segment_(segment, rows_);
    put(ranked, rows_, 0);
  }

  // Ranks the rows of a query from several places, in place of what was ranked before.
  void replace(std::string_view query_id, std::span<const std::string_view> ids, std::span<const double> scores) {
    rows_.clear();
    const RankedQuery<Target> ranked = rank_segment_(query_id, ids, scores, rows_);
    target_.replace(ranked.id, ranked.outcome, rows_, 0, ranked.rows);
  }

  const IdTable& interleaved() const noexcept { return interleaved_; }
  const FileCounts& counts() const noexcept { return counts_; }

 private:
  void put(const RankedQuery<Target>& ranked, const typename Target::Rows& rows, std::size_t first) {
    ++segments_;
    if (target_.put(ranked.id, ranked.outcome, rows, first, ranked.rows)) return;
    interleaved_.find_or_add(ranked.id);
    if (stops_ && ++returned_ >= kManyReturned && returned_ > segments_ / 4) throw MostlyInterleaved();
  }

  Target& target_;
  SegmentRanker<Target> rank_segment_;
  FileCounts counts_;
  IdTable interleaved_;
  bool stops_;
  std::uint64_t segments_ = 0, returned_ = 0;
  std::optional<KeptSegment> open_;
  typename Target::Rows rows_;
};

}  // namespace rankmark
