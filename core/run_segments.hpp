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
#include "gathered_segments.hpp"
#include "ids.hpp"
#include "layout.hpp"
#include "numbers.hpp"
#include "readers.hpp"

namespace rankmark {

// Documents of one query, as they stand on consecutive lines. Its ids lie in `text`, which is the
// block's while a block is parsed, and the segment's own copy where it outlives the block.
struct Segment {
  std::string query_id;
  std::uint32_t number = IdTable::kAbsent;  // of the query, among those that are wanted
  std::vector<double> scores;
  std::vector<IdSpan> documents;
  std::string text;

  void clear() {
    scores.clear();
    documents.clear();
    text.clear();
  }

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
             std::span<const std::string_view> ids, std::span<const double> scores, std::size_t first,
             std::size_t count) {
      { fixed.ranker() } -> std::same_as<typename Target::Ranker>;
      { rank(id, ids, scores, rows) } -> std::same_as<typename Target::Outcome>;
      { ranked.size() } -> std::convertible_to<std::size_t>;
      rows.clear();
      // False where the query was put before; then nothing changes.
      { target.put(id, outcome, ranked, first, count) } -> std::same_as<bool>;
      // Takes the place of what was put.
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

  RankedQuery<Target> operator()(Segment& segment, const char* text, typename Target::Rows& rows) {
    ids_.clear();
    for (const IdSpan document : segment.documents) ids_.push_back(document.in(text));
    return (*this)(segment.query_id, ids_, segment.scores, rows);
  }

  RankedQuery<Target> operator()(std::string_view query_id, std::span<const std::string_view> ids,
                                 std::span<double> scores, typename Target::Rows& rows) {
    // The first row is the best; only the whole segment knows which row is the first.
    for (std::size_t row = 0; as_given_ && row < ids.size(); ++row) scores[row] = -static_cast<double>(row);
    const std::size_t before = rows.size();
    auto outcome = rank_(query_id, ids, scores, rows);
    return {std::string(query_id), std::move(outcome), rows.size() - before};
  }

 private:
  typename Target::Ranker rank_;
  bool as_given_;
  std::vector<std::string_view> ids_;
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
  // Where `only` is given, segments of other queries are left out and all segments stay open.
  RunParser(const TextLayout& layout, const Target& target, const IdTable* only)
      : layout_(layout), rank_segment_(target, layout), only_(only), reader_(layout.cut) {}

  RunPart<Target> operator()(const Block& whole) {
    const Block block = without_header(whole, layout_);
    RunPart<Target> part;
    text_ = block.text.data();
    in_segment_ = false;
    try {
      parse(block, part);
      if (in_segment_) keep_open(part);
    } catch (const ParseFault&) {
      if (in_segment_) keep_open(part);  // a duplicate before the fault comes first
      part.fault = std::current_exception();
    } catch (...) {
      part.fault = std::current_exception();
    }
    return part;
  }

 private:
  void parse(const Block& block, RunPart<Target>& part) {
    const std::size_t query_column = layout_.query, document_column = layout_.document;
    const std::optional<std::size_t> order_column = layout_.order();
    const double sign = order_column == layout_.rank ? -1.0 : 1.0;  // rank 1 is the best
    reader_.start(block.text);
    Line line;
    while (reader_.next(line)) {
      if (!line.plain) {
        check_line(line, block.offset_of(line.text), layout_);
        part.counts.extra_columns += line.columns > layout_.cut.columns ? 1 : 0;
      }
      const std::string_view query = line.column(query_column), document = line.column(document_column);
      double score = 0;
      if (order_column) {
        const std::string_view field = line.column(*order_column);
        if (!parse_number(field, score) || !is_plain(score)) {
          score = number_in(field, block.offset_of(line.text), layout_);
        }
      }
      ++part.counts.rows;
      if (!in_segment_ || query != current_.query_id) begin_segment(query, part);
      if (skipped_) continue;
      current_.scores.push_back(sign * score);
      current_.documents.emplace_back(static_cast<std::uint64_t>(document.data() - text_), document.size());
    }
    check_end(block);
  }

  void begin_segment(std::string_view query, RunPart<Target>& part) {
    if (in_segment_) {
      if (part.open.empty() || only_ != nullptr) {
        keep_open(part);
      } else {
        part.ranked.push_back(rank_segment_(current_, text_, part.rows));
      }
    }
    current_.clear();
    current_.query_id.assign(query);
    in_segment_ = true;
    if (only_ != nullptr) current_.number = only_->find(query);
    skipped_ = only_ != nullptr && current_.number == IdTable::kAbsent;
  }

  // The segment moves into the part, with the stretch of the block that holds its ids.
  void keep_open(RunPart<Target>& part) {
    if (!skipped_) {
      const std::string_view first = current_.documents.front().in(text_), last = current_.documents.back().in(text_);
      const auto shift = static_cast<std::uint64_t>(first.data() - text_);
      current_.text.assign(first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data()));
      for (IdSpan& document : current_.documents) document = document.moved_by(std::uint64_t{0} - shift);
      part.open.push_back(std::move(current_));
      current_ = Segment{};
    }
    in_segment_ = false;
  }

  const TextLayout& layout_;
  SegmentRanker<Target> rank_segment_;
  const IdTable* only_;
  LineReader reader_;
  Segment current_;
  const char* text_ = nullptr;
  bool in_segment_ = false;
  bool skipped_ = false;
};

// Puts the parts together, in file order.
template <RunTarget Target>
class RunMerger {
 public:
  RunMerger(const TextLayout& layout, Target& target) : target_(target), rank_segment_(target, layout) {}

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
    const RankedQuery<Target> ranked = rank_segment_(segment, segment.text.data(), rows_);
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
    if (!target_.put(ranked.id, ranked.outcome, rows, first, ranked.rows)) interleaved_.find_or_add(ranked.id);
  }

  Target& target_;
  SegmentRanker<Target> rank_segment_;
  FileCounts counts_;
  IdTable interleaved_;
  std::optional<Segment> open_;
  typename Target::Rows rows_;
};

// Second reading: all rows of the queries that came back, each query's put together.
template <RunTarget Target>
void read_interleaved(const File& file, const TextLayout& layout, const Target& target, const ReadOptions& options,
                      RunMerger<Target>& merger) {
  const IdTable& wanted = merger.interleaved();
  GatheredSegments gathered(options.memory);
  read_blocks(
      file, options, [&] { return RunParser<Target>(layout, target, &wanted); },
      [&](RunPart<Target>&& part) {
        if (part.fault) std::rethrow_exception(part.fault);
        for (const Segment& segment : part.open) {
          gathered.add(segment.number, segment.scores,
                       [&](std::size_t row) { return segment.documents[row].in(segment.text.data()); });
        }
      });
  std::uint32_t found = 0;
  gathered.hand_out(
      [&](std::uint32_t query, std::span<const std::string_view> ids, std::span<double> scores) {
        ++found;
        merger.replace(wanted[query], ids, scores);
      },
      options.poll);
  if (found < wanted.size()) {
    throw FileFault({"it changed while it was read", "evaluate it when nothing writes to it"});
  }
}

struct SegmentsRead {
  FileCounts counts;
  std::int64_t interleaved = 0;  // queries that came back after another query
};

// Reads a run into a target. A query's documents are forgotten once it ends; queries that come back
// later are read again, together, at the end.
template <RunTarget Target>
SegmentsRead read_segments(const File& file, const TextLayout& layout, Target& target, const ReadOptions& options) {
  RunMerger<Target> merger(layout, target);
  read_blocks(file, options, [&] { return RunParser<Target>(layout, target, nullptr); }, std::ref(merger));
  merger.close();
  if (merger.interleaved().size() > 0) read_interleaved(file, layout, target, options, merger);
  return {merger.counts(), merger.interleaved().size()};
}

}  // namespace rankmark
