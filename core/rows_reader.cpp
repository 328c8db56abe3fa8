// The reader of plain rows, for whoever must see every one of them.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "fault.hpp"
#include "numbers.hpp"
#include "readers.hpp"

namespace rankmark {
namespace {

constexpr std::size_t kAhead = 16;  // rows whose memory is asked for before they are looked up

struct Row {
  std::uint64_t hash;
  IdSpan document;
  double number, rank;
  std::uint32_t line;  // of the block, from 0
};

// Consecutive rows of one query.
struct Segment {
  std::string query;
  std::size_t rows = 0;
};

struct RowsPart {
  std::string text;  // the spans' bytes
  std::vector<Row> rows;
  std::vector<Segment> segments;
  std::vector<std::uint32_t> extra;  // lines with more columns
  std::vector<RowsRead::Fault> faults;
  std::int64_t faulty = 0;
  std::int64_t lines = 0;  // of the block, those that hold nothing among them
};

class RowsParser {
 public:
  RowsParser(const TextLayout& layout, bool lenient, const std::unordered_set<std::string_view>* wanted)
      : layout_(layout), lenient_(lenient), wanted_(wanted), reader_(layout.cut) {}

  RowsPart operator()(const Block& whole) {
    const Block block = without_header(whole, layout_);
    RowsPart part;
    const auto header = static_cast<std::size_t>(block.offset - whole.offset);
    part.lines = std::count(whole.text.data(), whole.text.data() + header, '\n');
    reader_.start(block.text);
    Line line;
    while (reader_.next(line)) {
      if (wanted_ != nullptr && is_of_another(line)) continue;
      const auto place = static_cast<std::uint32_t>(part.lines) + static_cast<std::uint32_t>(reader_.passed() - 1);
      // Throwing takes longer than reading: of very many bad lines, the later ones are counted alone.
      if (lenient_ && part.faults.size() == RowsRead::kMostKept && is_unreadable(line)) {
        ++part.faulty;
        continue;
      }
      try {
        read(line, block.offset_of(line.text()), place, part);
      } catch (const ParseFault& fault) {
        if (!lenient_) throw;
        note(part, place, fault);
      }
    }
    part.lines += static_cast<std::int64_t>(reader_.passed());
    try {
      check_end(block);
    } catch (const ParseFault& fault) {
      if (!lenient_) throw;
      note(part, static_cast<std::uint32_t>(part.lines), fault);
      ++part.lines;
    }
    return part;
  }

 private:
  // A line that does not tell whose it is may be the one that is wanted.
  bool is_of_another(const Line& line) {
    if (line.fault != nullptr || line.columns <= layout_.query) return false;
    const std::string_view query = line.column(layout_.query);
    if (!last_ || query != *last_) {  // most follow one of the same query
      last_ = query;
      last_is_another_ = !wanted_->contains(query);
    }
    return last_is_another_;
  }

  // Whether `read` would throw, where that is quick to say.
  bool is_unreadable(const Line& line) const {
    const std::size_t wanted = layout_.cut.columns;
    if (line.fault != nullptr || line.columns < wanted) return true;
    if (line.columns > wanted && !layout_.more_columns) return true;
    if (!layout_.number || !layout_.cut.at_blanks()) return false;
    double number = 0;
    return !parse_number(line.column(*layout_.number), number);
  }

  void read(const Line& line, std::uint64_t offset, std::uint32_t place, RowsPart& part) {
    if (!line.plain) check_line(line, offset, layout_);
    Row row{0, {}, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN(), place};
    if (layout_.number) {
      const std::string_view field = line.column(*layout_.number);
      row.number = lenient_ ? any_number_in(field, offset, layout_) : number_in(field, offset, layout_);
    }
    if (layout_.rank) {
      double rank = 0;
      if (parse_number(line.column(*layout_.rank), rank)) row.rank = rank;
    }
    const std::string_view query = line.column(layout_.query), document = line.column(layout_.document);
    row.hash = hash_id(document);
    row.document = {part.text.size(), document.size()};
    part.text.append(document);
    if (part.segments.empty() || part.segments.back().query != query) {
      part.segments.push_back({std::string(query), 0});
    }
    ++part.segments.back().rows;
    part.rows.push_back(row);
    if (line.columns > layout_.cut.columns) part.extra.push_back(place);
  }

  static void note(RowsPart& part, std::uint32_t place, const ParseFault& fault) {
    ++part.faulty;
    if (part.faults.size() < RowsRead::kMostKept) part.faults.push_back({place, fault.message});
  }

  const TextLayout& layout_;
  bool lenient_;
  const std::unordered_set<std::string_view>* wanted_;
  std::optional<std::string> last_;
  bool last_is_another_ = false;
  LineReader reader_;
};

// Puts the parts together, in file order.
class RowsMerger {
 public:
  explicit RowsMerger(const TextLayout& layout) : has_rank_(layout.rank.has_value()) {}

  void operator()(RowsPart&& part) {
    std::size_t row = 0;
    for (const Segment& segment : part.segments) {
      const std::uint32_t query = read_.queries.find_or_add(segment.query);
      for (const std::size_t end = row + segment.rows; row < end; ++row) {
        const Row& one = part.rows[row];
        if (row + kAhead < part.rows.size()) read_.documents.expect(part.rows[row + kAhead].hash);
        read_.query_codes.push_back(query);
        read_.doc_codes.push_back(read_.documents.find_or_add(one.document.in(part.text.data()), one.hash));
        read_.number.push_back(one.number);
        if (has_rank_) read_.rank.push_back(one.rank);
        read_.line.push_back(lines_ + one.line + 1);
      }
    }
    read_.counts.rows += static_cast<std::int64_t>(part.rows.size());
    read_.counts.extra_columns += static_cast<std::int64_t>(part.extra.size());
    for (const std::uint32_t line : part.extra) {
      if (read_.extra_lines.size() < RowsRead::kMostKept) read_.extra_lines.push_back(lines_ + line + 1);
    }
    read_.faulty += part.faulty;
    for (RowsRead::Fault& fault : part.faults) {
      if (read_.faults.size() < RowsRead::kMostKept) {
        read_.faults.push_back({lines_ + fault.line + 1, std::move(fault.message)});
      }
    }
    lines_ += part.lines;
  }

  RowsRead finish() && { return std::move(read_); }

 private:
  bool has_rank_;
  std::int64_t lines_ = 0;  // before the next part
  RowsRead read_;
};

}  // namespace

RowsRead read_rows(const File& file, const TextLayout& layout, bool lenient, const ReadOptions& options,
                   const std::unordered_set<std::string_view>* wanted) {
  RowsMerger merger(layout);
  read_blocks(file, options, [&] { return RowsParser(layout, lenient, wanted); }, std::ref(merger));
  return std::move(merger).finish();
}

}  // namespace rankmark
