// The reader of runs: segments of consecutive lines of one query, ranked as soon as they are whole.

#include <algorithm>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "fault.hpp"
#include "ids.hpp"
#include "numbers.hpp"
#include "query.hpp"
#include "readers.hpp"

namespace rankmark {
namespace {

constexpr std::uint32_t kRunOnly = IdTable::kAbsent;

// Documents of one query, as they stand on consecutive lines. Its ids lie in `text`, which is the
// block's while a block is parsed, and the segment's own copy where it outlives the block.
struct Segment {
  std::string query_id;
  std::uint32_t query = kRunOnly;  // number in Judgments
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

// A query that was ranked: its hits follow those of the one before.
struct Ranked {
  std::string query_id;  // only where nobody judged the query
  std::uint32_t query;
  QueryCounts counts;
  std::size_t hits;
};

// Ranks whole segments.
class SegmentRanker {
 public:
  SegmentRanker(const Judgments& judgments, const RankingOptions& options, const TextLayout& layout)
      : ranker_(judgments, options), as_given_(layout.order() == TextLayout::kNone) {}

  Ranked operator()(Segment& segment, const char* text, std::vector<Hit>& hits) {
    ids_.clear();
    for (const IdSpan document : segment.documents) ids_.push_back(document.in(text));
    // The first row is the best; only the whole segment knows which row is the first.
    for (std::size_t row = 0; as_given_ && row < ids_.size(); ++row) segment.scores[row] = -static_cast<double>(row);
    const std::size_t before = hits.size();
    const QueryCounts counts = ranker_.rank(segment.query, segment.query_id, ids_, segment.scores, hits);
    return {segment.query == kRunOnly ? segment.query_id : std::string(), segment.query, counts, hits.size() - before};
  }

 private:
  QueryRanker ranker_;
  bool as_given_;
  std::vector<std::string_view> ids_;
};

// One block's worth. The first and the last segment may go on in the neighbouring blocks and stay
// open; those between are ranked already.
struct RunPart {
  std::vector<Segment> open;  // none, the only segment, or first and last
  std::vector<Ranked> ranked;
  std::vector<Hit> hits;
  FileCounts counts;
  std::exception_ptr fault;  // what stopped the parser behind all this
};

class RunParser {
 public:
  // Where `only` is given, segments of other queries are left out and all segments stay open.
  RunParser(const TextLayout& layout, const Judgments& judgments, const RankingOptions& ranking, const IdTable* only)
      : layout_(layout), judgments_(judgments), rank_segment_(judgments, ranking, layout), only_(only),
        reader_(layout.cut) {}

  RunPart operator()(const Block& whole) {
    const Block block = without_header(whole, layout_);
    RunPart part;
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
  void parse(const Block& block, RunPart& part) {
    const std::size_t query_column = layout_.query, document_column = layout_.document;
    const std::ptrdiff_t order_column = layout_.order();
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
      if (order_column != TextLayout::kNone) {
        const std::string_view field = line.column(static_cast<std::size_t>(order_column));
        if (!parse_number(field, score) || score != score) {
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

  void begin_segment(std::string_view query, RunPart& part) {
    if (in_segment_) {
      if (part.open.empty() || only_ != nullptr) {
        keep_open(part);
      } else {
        part.ranked.push_back(rank_segment_(current_, text_, part.hits));
      }
    }
    current_.clear();
    current_.query_id.assign(query);
    current_.query = judgments_.find_query(query);
    in_segment_ = true;
    skipped_ = only_ != nullptr && only_->find(query) == IdTable::kAbsent;
  }

  // The segment moves into the part, with the stretch of the block that holds its ids.
  void keep_open(RunPart& part) {
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
  const Judgments& judgments_;
  SegmentRanker rank_segment_;
  const IdTable* only_;
  LineReader reader_;
  Segment current_;
  const char* text_ = nullptr;
  bool in_segment_ = false;
  bool skipped_ = false;
};

// Puts the parts together, in file order.
class RunMerger {
 public:
  RunMerger(const TextLayout& layout, const Judgments& judgments, const RankingOptions& ranking)
      : judgments_(judgments), rank_segment_(judgments, ranking, layout), columns_(judgments.queries()) {}

  void operator()(RunPart&& part) {
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
    std::size_t hit = 0;
    for (const Ranked& ranked : part.ranked) {
      put(ranked, {part.hits.data() + hit, ranked.hits});
      hit += ranked.hits;
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
    hits_.clear();
    const Ranked ranked = rank_segment_(segment, segment.text.data(), hits_);
    put(ranked, hits_);
  }

  // Ranks a segment gathered from several places, in place of what was ranked before.
  void replace(Segment& segment) {
    hits_.clear();
    const Ranked ranked = rank_segment_(segment, segment.text.data(), hits_);
    if (ranked.query != kRunOnly) columns_.put(ranked.query, ranked.counts, hits_);
  }

  const IdTable& interleaved() const noexcept { return interleaved_; }

  RunRead finish() const {
    RunRead read{columns_.finish(), counts_, run_only_.size(), {}, interleaved_.size()};
    for (std::uint32_t i = 0; i < std::min(run_only_.size(), std::uint32_t{3}); ++i) {
      read.run_only_examples.emplace_back(run_only_[i]);
    }
    return read;
  }

 private:
  void put(const Ranked& ranked, std::span<const Hit> hits) {
    if (ranked.query == kRunOnly) {
      const std::uint32_t known = run_only_.size();
      run_only_.find_or_add(ranked.query_id);
      if (run_only_.size() == known) interleaved_.find_or_add(ranked.query_id);
    } else if (columns_.has(ranked.query)) {
      interleaved_.find_or_add(judgments_.query_id(ranked.query));
    } else {
      columns_.put(ranked.query, ranked.counts, hits);
    }
  }

  const Judgments& judgments_;
  SegmentRanker rank_segment_;
  ColumnsBuilder columns_;
  FileCounts counts_;
  IdTable run_only_, interleaved_;
  std::optional<Segment> open_;
  std::vector<Hit> hits_;
};

// Second reading: all segments of the queries that came back, each query's put together.
void read_interleaved(const File& file, const TextLayout& layout, const Judgments& judgments,
                      const RankingOptions& ranking, const ReadOptions& options, RunMerger& merger) {
  const IdTable& wanted = merger.interleaved();
  std::vector<Segment> gathered(wanted.size());
  read_blocks(
      file, options, [&] { return RunParser(layout, judgments, ranking, &wanted); },
      [&](RunPart&& part) {
        if (part.fault) std::rethrow_exception(part.fault);
        for (Segment& segment : part.open) {
          Segment& whole = gathered[wanted.find(segment.query_id)];
          if (whole.scores.empty()) {
            whole = std::move(segment);
          } else {
            whole.append(segment);
          }
        }
      });
  for (Segment& segment : gathered) {
    if (segment.scores.empty()) throw FileFault("the file changed while it was read");
    merger.replace(segment);
    if (options.poll) options.poll(file.size());
  }
}

}  // namespace

RunRead read_run(const File& file, const TextLayout& layout, const Judgments& judgments,
                 const RankingOptions& ranking, const ReadOptions& options) {
  RunMerger merger(layout, judgments, ranking);
  read_blocks(
      file, options, [&] { return RunParser(layout, judgments, ranking, nullptr); }, std::ref(merger));
  merger.close();
  if (merger.interleaved().size() > 0) read_interleaved(file, layout, judgments, ranking, options, merger);
  return merger.finish();
}

}  // namespace rankmark
