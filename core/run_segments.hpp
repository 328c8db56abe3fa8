// Runs as text, read query by query: consecutive lines of one query are a segment, and a target ranks
// segments as soon as they are whole.
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blocks.hpp"
#include "fault.hpp"
#include "ids.hpp"
#include "layout.hpp"
#include "numbers.hpp"
#include "query.hpp"
#include "readers.hpp"

namespace rankmark {

// Documents of one query, as they stand on consecutive lines, that outlive their block. `text` is their own copy.
struct Segment {
  std::string query_id;
  std::vector<double> scores;
  std::vector<IdSpan> documents;
  std::string text;

  void append(const Segment& later) {
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

// Hands whole segments to a target's ranker; one for each thread.
template <RunTarget Target>
class SegmentRanker {
 public:
  SegmentRanker(const Target& target, const TextLayout& layout) : rank_(target.ranker()), as_given_(!layout.order()) {}

  RankedQuery<Target> operator()(Segment& segment, typename Target::Rows& rows) {
    hashes_.clear();
    for (const IdSpan document : segment.documents) hashes_.push_back(hash_id(document.in(segment.text.data())));
    return (*this)(segment.query_id, TextIds{segment.text.data(), segment.documents, hashes_}, segment.scores, rows);
  }

  template <class Ids>
  RankedQuery<Target> operator()(std::string_view query_id, const Ids& ids, std::span<double> scores,
                                 typename Target::Rows& rows) {
    // The first row is the best; only the whole segment knows which row is the first.
    for (std::size_t row = 0; as_given_ && row < ids.size(); ++row) scores[row] = -static_cast<double>(row);
    const std::size_t before = rows.size();
    auto outcome = rank_(query_id, ids, scores, rows);
    return {std::string(query_id), std::move(outcome), rows.size() - before};
  }

 private:
  typename Target::Ranker rank_;
  bool as_given_;
  std::vector<std::uint64_t> hashes_;
};

// Documents of the query that is being read, while they stand in the block's text, and the hashes of their ids.
class SegmentRows {
 public:
  void clear() noexcept { size_ = 0; }
  std::size_t size() const noexcept { return size_; }

  // Makes room for so many more rows.
  void expect(std::size_t rows) {
    if (scores_.size() - size_ < rows) grow(rows);
  }
  void append(double score, IdSpan document, std::uint64_t hash) noexcept {
    const std::size_t row = size_++;
    scores_[row] = score;
    documents_[row] = document;
    hashes_[row] = hash;
  }

  std::span<double> scores() noexcept { return std::span(scores_).first(size_); }
  TextIds ids(const char* text) const noexcept {
    return {text, std::span(documents_).first(size_), std::span(hashes_).first(size_)};
  }

 private:
  void grow(std::size_t rows) {
    const std::size_t room = 2 * scores_.size() + rows;
    scores_.resize(room);
    documents_.resize(room);
    hashes_.resize(room);
  }

  std::size_t size_ = 0;  // the columns have room for more
  std::vector<double> scores_;
  std::vector<IdSpan> documents_;
  std::vector<std::uint64_t> hashes_;
};

// One block's worth. The first and the last segment may go on in the neighbouring blocks and stay
// open; those between are ranked already.
template <RunTarget Target>
struct RunPart {
  std::vector<Segment> open;  // none, the only segment, or first and last
  std::vector<RankedQuery<Target>> ranked;
  typename Target::Rows rows;
  FileCounts counts;
  std::exception_ptr fault;  // what stopped the parser behind all this
};

template <RunTarget Target>
class RunParser {
 public:
  RunParser(const TextLayout& layout, const Target& target)
      : layout_(layout), rank_segment_(target, layout), reader_(layout.cut) {}

  RunPart<Target> operator()(const Block& whole) {
    const Block block = without_header(whole, layout_);
    RunPart<Target> part;
    text_ = block.text.data();
    query_.expect_none();
    try {
      parse(block, part);
      if (query_.expects()) keep_open(part);
    } catch (const ParseFault&) {
      if (query_.expects()) keep_open(part);  // a duplicate before the fault comes first
      part.fault = std::current_exception();
    } catch (...) {
      part.fault = std::current_exception();
    }
    return part;
  }

 private:
  void parse(const Block& block, RunPart<Target>& part) {
    reader_.start(block.text);
    for (Line line;;) {
      if (const PlainLines lines = reader_.take_plain(); lines.ends != lines.last) {
        layout_.order() ? parse_plain<true>(lines, block, part) : parse_plain<false>(lines, block, part);
      } else if (reader_.next(line)) {
        parse_line(line, block, part);
      } else {
        break;
      }
    }
    check_end(block);
  }

  // Nearly all lines come here, and nearly all time is spent here.
  template <bool kOrdered>
  void parse_plain(const PlainLines& lines, const Block& block, RunPart<Target>& part) {
    const char* const text = text_;
    const auto column = [text](const std::uint32_t* ends) -> std::string_view {
      return {text + (ends[0] + 1), ends[1] - (ends[0] + 1)};
    };
    const std::size_t columns = layout_.cut.columns, query_column = layout_.query, document_column = layout_.document;
    const std::size_t order_column = layout_.order().value_or(0);
    const double sign = order_sign();
    const bool query_first = query_column == 0;
    rows_.expect(static_cast<std::size_t>(lines.last - lines.ends) / columns);
    std::int64_t comments = 0;
    for (const std::uint32_t* ends = lines.ends; ends != lines.last; ends += columns) {
      const char* const begin = text + (ends[0] + 1);
      const std::string_view query = column(ends + query_column);
      const bool same = query_.is(query);
      // What begins like the line before, is no comment.
      if ((!same || !query_first) && reader_.is_comment(*begin)) [[unlikely]] {
        ++comments;
        continue;
      }
      double score = 0;
      if constexpr (kOrdered) {
        const std::string_view field = column(ends + order_column);
        if (!numbers::parse_short(field, score)) [[unlikely]] {
          score = number_in(field, block.offset_of({begin, 1}), layout_);
        }
      }
      if (!same) [[unlikely]]
        begin_segment(query, part);
      const std::string_view document = column(ends + document_column);
      const std::uint32_t place = ends[document_column] + 1;
      rows_.append(sign * score, {place, document.size()}, hash_padded_id(document));
    }
    part.counts.rows += (lines.last - lines.ends) / static_cast<std::ptrdiff_t>(columns) - comments;
  }

  void parse_line(const Line& line, const Block& block, RunPart<Target>& part) {
    if (!line.plain) check_line(line, block.offset_of(line.text()), layout_);
    part.counts.extra_columns += line.columns > layout_.cut.columns ? 1 : 0;
    double score = 0;
    if (const std::optional<std::size_t> order = layout_.order()) {
      const std::string_view field = line.column(*order);
      if (!parse_number(field, score) || !is_plain(score)) {
        score = number_in(field, block.offset_of(line.text()), layout_);
      }
    }
    ++part.counts.rows;
    const std::string_view query = line.column(layout_.query);
    if (!query_.is(query)) begin_segment(query, part);
    const std::string_view document = line.column(layout_.document);
    const auto place = static_cast<std::uint64_t>(document.data() - text_);
    rows_.expect(1);
    rows_.append(order_sign() * score, {place, document.size()}, hash_padded_id(document));
  }

  double order_sign() const noexcept { return layout_.order() == layout_.rank ? -1.0 : 1.0; }  // rank 1 is the best

  void begin_segment(std::string_view query, RunPart<Target>& part) {
    if (query_.expects()) {
      if (part.open.empty()) {
        keep_open(part);
      } else {
        part.ranked.push_back(rank_segment_(query_.id(), rows_.ids(text_), rows_.scores(), part.rows));
      }
    }
    rows_.clear();
    query_.expect(query);
  }

  // The segment moves into the part, with the stretch of the block that holds its ids.
  void keep_open(RunPart<Target>& part) {
    const TextIds ids = rows_.ids(text_);
    const std::string_view first = ids[0], last = ids[ids.size() - 1];
    const auto shift = static_cast<std::uint64_t>(first.data() - text_);
    Segment& segment = part.open.emplace_back();
    segment.query_id = query_.id();
    segment.scores.assign(rows_.scores().begin(), rows_.scores().end());
    segment.documents.reserve(ids.size());
    for (const IdSpan place : ids.places) segment.documents.push_back(place.moved_by(std::uint64_t{0} - shift));
    segment.text.assign(first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data()));
    query_.expect_none();
  }

  const TextLayout& layout_;
  SegmentRanker<Target> rank_segment_;
  LineReader reader_;
  ExpectedId query_;  // that of the segment, if there is one
  SegmentRows rows_;
  const char* text_ = nullptr;
};

// So many queries come back that ranking them before they are whole is in vain.
class MostlyInterleaved : public std::exception {};
inline constexpr std::uint64_t kManyReturned = 4096;

// Puts the parts together, in file order.
template <RunTarget Target>
class RunMerger {
 public:
  // Where it `stops`, it throws MostlyInterleaved as soon as that is so.
  RunMerger(const TextLayout& layout, Target& target, bool stops = false)
      : target_(target), rank_segment_(target, layout), stops_(stops) {}

  void operator()(RunPart<Target>&& part) {
    counts_.rows += part.counts.rows;
    counts_.extra_columns += part.counts.extra_columns;
    if (!part.open.empty()) {
      Segment& first = part.open.front();
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
    Segment segment = *std::exchange(open_, std::nullopt);
    rows_.clear();
    const RankedQuery<Target> ranked = rank_segment_(segment, rows_);
    put(ranked, rows_, 0);
  }

  // Ranks the rows of a query from several places, in place of what was ranked before.
  void replace(std::string_view query_id, std::span<const std::string_view> ids, std::span<double> scores) {
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
  std::optional<Segment> open_;
  typename Target::Rows rows_;
};

}  // namespace rankmark
