// What qrels and runs have in common, and the reader of qrels.
#include "trec.hpp"

#include <cmath>
#include <string_view>

namespace rankmark {

namespace {
constexpr const char* kTooLong = "a line of 16 MiB or more; this is no TREC text";
}

void check_end(const Block& block) {
  if (block.endless) throw ParseFault(*block.endless, kTooLong);
}

void check_line(const Line& line, std::uint64_t offset, bool has_nul, std::size_t columns, const char* wanted) {
  if (has_nul && line.text.find('\0') != std::string_view::npos) {
    throw ParseFault(offset, "found a NUL byte; this is no UTF-8 text (UTF-16? a binary file?): convert it");
  }
  if (line.text.size() > kLongestLine) {
    throw ParseFault(offset, kTooLong);
  }
  if (line.columns == columns) return;
  if (line.text.find('\r') != std::string_view::npos) {
    throw ParseFault(offset, "a carriage return within the line; old Mac line ends? convert them to newlines");
  }
  if (line.columns > columns) return;
  std::string message = "found " + std::to_string(line.columns) + (line.columns == 1 ? " column" : " columns") +
                        ", need " + std::to_string(columns) + " (" + wanted + "): " + shown(line.text);
  if (columns == 6 && line.columns == 4) message += "; this looks like qrels: are QRELS and RUN swapped?";
  throw ParseFault(offset, message);
}

double number_in(std::string_view field, std::uint64_t offset, const char* column) {
  double number = 0;
  if (!parse_number(field, number)) {
    throw ParseFault(offset, std::string(column) + " " + shown(field) +
                                 " is not a number; if this line is a header, remove it or put # before it");
  }
  if (std::isnan(number)) {
    throw ParseFault(offset, std::string(column) + " is NaN, which has no place in an order; remove or replace it");
  }
  return number;
}

namespace {

constexpr std::size_t kQrelsColumns = 4;

struct QrelsRow {
  std::uint64_t hash;
  IdSpan document;
  double label;
};

// Consecutive rows of one query.
struct QrelsStretch {
  std::string query;
  std::size_t rows = 0;
};

struct QrelsPart {
  std::string text;  // the spans' bytes
  std::vector<QrelsRow> rows;
  std::vector<QrelsStretch> stretches;
  FileCounts counts;
};

class QrelsParser {
 public:
  QrelsPart operator()(const Block& block) {
    QrelsPart part;
    reader_.start(block.text);
    Line line;
    while (reader_.next(line)) {
      const std::uint64_t offset = block.offset_of(line.text);
      if (line.columns != kQrelsColumns || reader_.has_nul() || line.text.size() > kLongestLine) {
        check_line(line, offset, reader_.has_nul(), kQrelsColumns, "qid iter docid label");
        part.counts.extra_columns += line.columns > kQrelsColumns ? 1 : 0;
      }
      const double label = number_in(line.column(3), offset, "label");
      if (std::isinf(label)) throw ParseFault(offset, "label is infinite; labels are finite numbers");
      ++part.counts.rows;
      const std::string_view query = line.column(0), document = line.column(2);
      if (part.stretches.empty() || part.stretches.back().query != query) {
        part.stretches.push_back({std::string(query), 0});
      }
      ++part.stretches.back().rows;
      part.rows.push_back({hash_id(document), {part.text.size(), document.size()}, label});
      part.text.append(document);
    }
    check_end(block);
    return part;
  }

 private:
  LineReader reader_{kQrelsColumns};
};

}  // namespace

QrelsRead read_qrels(const File& file, const ReadOptions& options) {
  JudgmentsBuilder builder;
  FileCounts counts;
  read_blocks(
      file, options, [] { return QrelsParser(); },
      [&](QrelsPart&& part) {
        std::size_t row = 0;
        for (const QrelsStretch& stretch : part.stretches) {
          const std::uint32_t query = builder.query(stretch.query);
          for (const std::size_t end = row + stretch.rows; row < end; ++row) {
            const QrelsRow& one = part.rows[row];
            builder.add(query, one.document.in(part.text.data()), one.hash, one.label);
          }
        }
        counts.rows += part.counts.rows;
        counts.extra_columns += part.counts.extra_columns;
      });
  return {std::move(builder).finish(), counts};
}

std::vector<std::uint64_t> lines_of(const File& file, std::string_view query, std::string_view document,
                                    const Poll& poll) {
  std::vector<std::uint64_t> lines;
  BlockLoader loader(file, std::size_t{1} << 20);
  LineReader reader(kQrelsColumns);
  for (std::uint64_t i = 0; i < loader.blocks() && lines.size() < 2; ++i) {
    const Block block = loader.load(i);
    reader.start(block.text);
    for (Line line; lines.size() < 2 && reader.next(line);) {
      if (line.columns > 2 && line.column(0) == query && line.column(2) == document) {
        lines.push_back(line_number(file, block.offset_of(line.text), poll));
      }
    }
    if (poll) poll(i << 20);
  }
  return lines;
}

}  // namespace rankmark
