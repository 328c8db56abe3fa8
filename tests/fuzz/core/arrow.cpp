// Tables that come through the Arrow C interfaces, whole or broken: as one table, as batches, on several threads.
#include "arrow.hpp"

#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow_column.hpp"
#include "batched_run.hpp"
#include "fault.hpp"
#include "plain_ranking.hpp"
#include "table_rankings.hpp"

using fuzz::expect;
using fuzz::Told;

namespace {

enum class Broken {
  nothing,
  other_columns,
  negative_length,
  huge_offset,
  short_column,
  few_buffers,
  no_dictionary,
  no_children,
  huge_table,
  fails
};

struct Chunk {
  std::int64_t rows = 0, offset = 0;
  std::optional<fuzz::Bytes> valid;
  std::vector<fuzz::FuzzedArray> columns;
  Broken broken = Broken::nothing;
};

struct Column {
  std::string format, words;  // words: of a dictionary
  bool uuid = false;
};

std::vector<Column> columns_of(fuzz::Input& input, std::size_t count) {
  static constexpr std::size_t kKnown = std::size(fuzz::kFormats);
  std::vector<Column> columns;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t chosen = input.byte();
    // Most ids are text, and most numbers are numbers.
    Column column{chosen < 150 ? (i < 2             ? fuzz::kFormats[chosen % 6]
                                  : chosen % 2 == 0 ? "g"
                                                    : "i")
                               : fuzz::kFormats[input.below(kKnown)],
                  ""};
    column.uuid = column.format == "w:16" && chosen % 2 == 0;
    if (chosen % 5 == 0) column.words = std::exchange(column.format, fuzz::kFormats[6 + input.below(9)]);
    columns.push_back(column);
  }
  return columns;
}

Chunk chunk_of(fuzz::Input& input, const std::vector<Column>& columns) {
  Chunk chunk;
  chunk.rows = static_cast<std::int64_t>(input.below(24));
  const std::uint8_t how = input.byte();
  chunk.offset = (how & 3) == 3 ? static_cast<std::int64_t>(input.below(6)) : 0;
  if ((how & 12) == 12) {
    chunk.valid.emplace(static_cast<std::size_t>((chunk.offset + chunk.rows + 7) / 8), 0xff);
    if ((how & 16) != 0 && !chunk.valid->empty()) chunk.valid->back() = input.byte();
  }
  if (how >= 0xf0) chunk.broken = static_cast<Broken>(input.below(10));
  for (const Column& column : columns) {
    const auto offset = static_cast<std::int64_t>(input.byte() % 16 >= 12 ? input.below(10) : 0);
    fuzz::FuzzedArray array = fuzz::array_of(input, column.format, column.uuid, offset, chunk.offset + chunk.rows);
    array.length += static_cast<std::int64_t>(input.byte() % 32 == 31 ? 3 : 0);
    if (!column.words.empty()) {
      array.dictionary = std::make_unique<fuzz::FuzzedArray>(
          fuzz::array_of(input, column.words, column.uuid, static_cast<std::int64_t>(input.below(3)),
                         1 + static_cast<std::int64_t>(input.below(12))));
    }
    chunk.columns.push_back(std::move(array));
  }
  return chunk;
}

// Places in a dictionary would nearly always lie outside of it.
void fit_places(fuzz::FuzzedArray& array) {
  if (!array.dictionary || !array.buffers[1] || array.width() == 0 || array.format[0] == 'e') return;
  fuzz::Bytes& places = *array.buffers[1];
  for (std::size_t at = 0; at + array.width() <= places.size(); at += array.width()) {
    if (places[at] < 200) places[at] = static_cast<std::uint8_t>(places[at] % array.dictionary->length);
  }
}

// The structures for a chunk, broken as it asks.
void export_chunk(const Chunk& chunk, ArrowArray& out) {
  std::vector<ArrowArray> arrays(chunk.columns.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) fuzz::Exported::array(chunk.columns[i], arrays[i]);
  ArrowArray& last = arrays.back();
  ArrowArray* unlinked = nullptr;
  switch (chunk.broken) {
    case Broken::negative_length: last.length = -1; break;
    case Broken::huge_offset: last.offset = (std::int64_t{1} << 56) + 1; break;
    case Broken::short_column: --last.length; break;
    case Broken::few_buffers: last.n_buffers = 1; break;
    case Broken::no_dictionary: unlinked = std::exchange(last.dictionary, nullptr); break;
    default: break;
  }
  if (unlinked != nullptr) unlinked->release(unlinked);
  const auto count = static_cast<std::int64_t>(arrays.size()) + (chunk.broken == Broken::other_columns ? 1 : 0);
  fuzz::Exported::table(std::move(arrays), chunk.rows, chunk.offset, chunk.valid, count, out);
  if (chunk.broken == Broken::huge_table) out.length = std::int64_t{1} << 33;
  if (chunk.broken == Broken::no_children) out.children = nullptr;
}

void export_schema(const std::vector<Column>& columns, ArrowSchema& out) {
  std::vector<ArrowSchema> schemas(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    fuzz::FuzzedArray array;
    array.format = columns[i].format;
    array.uuid = columns[i].uuid;
    if (!columns[i].words.empty()) {
      array.dictionary = std::make_unique<fuzz::FuzzedArray>();
      array.dictionary->format = columns[i].words;
      array.dictionary->uuid = columns[i].uuid;
    }
    fuzz::Exported::schema(array, schemas[i]);
  }
  const auto count = static_cast<std::int64_t>(columns.size());
  fuzz::Exported::table(std::move(schemas), 0, 0, std::nullopt, count, out);
}

// A producer of chunks.
struct Producer {
  const std::vector<Column>& columns;
  const std::vector<Chunk>& chunks;
  std::size_t next = 0;

  static ArrowArrayStream stream(const std::vector<Column>& columns, const std::vector<Chunk>& chunks) {
    ++fuzz::Exported::alive;
    return {[](ArrowArrayStream* of, ArrowSchema* out) {
              export_schema(static_cast<Producer*>(of->private_data)->columns, *out);
              return 0;
            },
            [](ArrowArrayStream* of, ArrowArray* out) {
              auto& self = *static_cast<Producer*>(of->private_data);
              if (self.next == self.chunks.size()) {
                out->release = nullptr;
                return 0;
              }
              const Chunk& chunk = self.chunks[self.next++];
              if (chunk.broken == Broken::fails) return EIO;
              export_chunk(chunk, *out);
              return 0;
            },
            [](ArrowArrayStream*) -> const char* { return nullptr; },
            [](ArrowArrayStream* of) {
              delete static_cast<Producer*>(of->private_data);
              of->release = nullptr;
              --fuzz::Exported::alive;
            },
            new Producer{columns, chunks}};
  }
};

// What a plain reader makes of the chunks.
struct Plain {
  fuzz::PlainQueries queries;
  bool refused = false;  // must be
  bool unused = false;   // may be: something is broken that no row asks for
  std::int64_t rows = 0, interleaved = 0;
};

std::optional<fuzz::arrow_plain::Value> value_of(const fuzz::FuzzedArray& array, std::int64_t row, std::int64_t rows) {
  const std::int64_t place = array.offset + row, end = array.offset + rows;
  if (!array.is_readable() || (array.is_view() && !array.buffers[3])) return std::nullopt;
  const auto value = fuzz::arrow_plain::value_at(array, place, end);
  if (!array.dictionary || !value) return value;
  const fuzz::FuzzedArray& words = *array.dictionary;
  static constexpr std::string_view kWhole = "csilCSIL";
  if (array.format.size() != 1 || kWhole.find(array.format[0]) == std::string_view::npos) return std::nullopt;
  if (!words.is_readable() || (words.is_view() && !words.buffers[3]) || !value->id) return std::nullopt;
  if (value->id->starts_with('-') || value->id->size() > 9 || std::stoll(*value->id) >= words.length)
    return std::nullopt;
  return fuzz::arrow_plain::value_at(words, words.offset + std::stoll(*value->id), words.offset + words.length);
}

// Whether some word of a dictionary cannot be read, be it asked for or not.
bool has_broken_words(const fuzz::FuzzedArray& array) {
  if (!array.dictionary) return false;
  fuzz::FuzzedArray& words = *array.dictionary;
  if (!words.is_readable() || !words.buffers[1]) return true;
  const std::int64_t missing = std::exchange(words.null_count, 0);  // whether one is missing is another question
  bool broken = false;
  for (std::int64_t i = 0; i < words.length; ++i) {
    broken |= !fuzz::arrow_plain::value_at(words, words.offset + i, words.offset + words.length);
  }
  words.null_count = missing;
  return broken;
}

struct Asked {
  bool labels = false, has_number = false, by_rank = false, single = false;
};

Plain read_plainly(const std::vector<Chunk>& chunks, const Asked& asked) {
  Plain plain;
  std::string before;
  std::map<std::string, bool> back;
  for (const Chunk& chunk : chunks) {
    const Broken broken = chunk.broken;
    const bool has_words = chunk.columns.back().dictionary != nullptr;
    if (broken == Broken::fails || broken == Broken::other_columns || broken == Broken::huge_table ||
        broken == Broken::no_children) {
      plain.refused = true;
    } else if (broken == Broken::few_buffers && !chunk.columns.back().is_readable()) {
      plain.unused = true;  // what cannot be read has any buffers
    } else if (broken != Broken::nothing && (broken != Broken::no_dictionary || has_words)) {
      // A chunk without rows has columns that nobody looks at; one that is shorter may be long enough.
      const bool enough = chunk.rows == 0 ||
                          (broken == Broken::short_column && chunk.columns.back().length > chunk.offset + chunk.rows);
      (enough ? plain.unused : plain.refused) = true;
    }
    for (std::int64_t row = chunk.offset; row < chunk.offset + chunk.rows && !plain.refused; ++row) {
      const std::int64_t rows = chunk.offset + chunk.rows;
      if (chunk.valid && (((*chunk.valid)[static_cast<std::size_t>(row / 8)] >> (row % 8)) & 1) == 0)
        plain.refused = true;
      const auto query = value_of(chunk.columns[0], row, rows), document = value_of(chunk.columns[1], row, rows);
      std::optional<fuzz::arrow_plain::Value> number;
      if (asked.has_number) number = value_of(chunk.columns[2], row, rows);
      if (!query || !document || !query->id || !document->id) plain.refused = true;
      if (asked.has_number) {
        if (!number || !number->number || std::isnan(*number->number)) {
          plain.refused = true;
        } else {
          if (!number->exact) (asked.single ? plain.unused : plain.refused) = true;
          if (asked.labels && std::isinf(*number->number)) plain.refused = true;
        }
      }
      for (std::size_t i = 0; i < (asked.has_number ? 3u : 2u); ++i) plain.unused |= has_broken_words(chunk.columns[i]);
      if (plain.refused) break;
      const auto known = plain.queries.documents.find(*query->id);
      const bool is_known = known != plain.queries.documents.end();
      if (is_known && *query->id != before) back[*query->id] = true;
      const double place = is_known ? -static_cast<double>(known->second.size()) : 0;
      const double score = asked.has_number ? *number->number * (asked.by_rank ? -1 : 1) : asked.labels ? 1 : place;
      plain.queries.add(*query->id, *document->id, score);
      before = *query->id;
    }
    plain.rows += chunk.rows;
  }
  plain.interleaved = static_cast<std::int64_t>(back.size());
  return plain;
}

// What `use` tells, or how it is refused. In parts, rows are counted from each part's beginning.
template <class Use>
std::string told_by(bool whole, const Use& use) {
  Told told;
  try {
    use(told);
  } catch (const rankmark::TableFault& fault) {
    told = Told();
    told << "refused";
    if (whole) told << fault.column << fault.row.value_or(-1) << fault.message.found;
  } catch (const rankmark::StreamFault& fault) {
    told = Told();
    told << "refused";
    if (whole) told << fault.message.found;
  } catch (const rankmark::DuplicateFault& fault) {
    told = Told();
    told << "duplicate" << fault.query << fault.document;
  }
  return std::move(told).text();
}

rankmark::Table whole_table(const std::vector<Column>& columns, const std::vector<Chunk>& chunks) {
  ArrowArrayStream stream = Producer::stream(columns, chunks);
  rankmark::TableStream taken(stream);
  return taken.rest({});
}

void compare(const std::string& found, const std::string& other, bool whole) {
  if (whole || (!found.starts_with("<refused> ") && !found.starts_with("<duplicate> "))) {
    fuzz::expect_same(found, other, "read in another way, a table differs");
  } else {
    expect(other.starts_with("<refused> ") || other.starts_with("<duplicate> "),
           "refused as a whole, and read in parts");
  }
}

// False where it is refused, as it should be.
bool is_read(const std::string& told, const Plain& plain, bool duplicates_are_faults) {
  const bool repeated = duplicates_are_faults && plain.queries.has_duplicates();
  if (told.starts_with("<refused> ")) {
    expect(plain.refused || plain.unused, "a table is refused that can be read: " + told);
  } else if (told.starts_with("<duplicate> ")) {
    // Behind what is refused, the plain reader looks no further.
    expect(repeated || (plain.refused && duplicates_are_faults),
           "a document that stands once is said to stand twice: " + told);
  } else {
    expect(!plain.refused && !repeated, "what should be refused is read: " + told);
    return true;
  }
  return false;
}

void tell(const rankmark::Judgments& judgments, Told& told) {
  for (std::uint32_t query = 0; query < judgments.queries(); ++query) {
    told << judgments.query_id(query);
    for (auto row = judgments.starts()[query]; row < judgments.starts()[query + 1]; ++row) {
      told << judgments.document_id(static_cast<std::uint32_t>(row))
           << judgments.label(static_cast<std::uint32_t>(row));
    }
  }
}

void check_judgments(const std::vector<Column>& columns, const std::vector<Chunk>& chunks,
                     const rankmark::ChosenColumns& chosen, const Plain& plain) {
  const std::string found = told_by(
      true, [&](Told& told) { tell(rankmark::read_table_qrels(whole_table(columns, chunks), chosen, {}), told); });
  compare(found,
          told_by(false,
                  [&](Told& told) {
                    ArrowArrayStream stream = Producer::stream(columns, chunks);
                    rankmark::TableStream taken(stream);
                    rankmark::JudgmentsBuilder builder;
                    while (const std::optional<rankmark::Table> table = taken.next()) {
                      rankmark::add_table_qrels(builder, *table, chosen, {});
                    }
                    tell(std::move(builder).finish(), told);
                  }),
          false);
  if (!is_read(found, plain, true)) return;
  Told expected;
  for (const std::string& query : plain.queries.ids) {
    expected << query;
    for (const auto& [id, label] : plain.queries.documents.at(query)) expected << id << label;
  }
  fuzz::expect_same(std::move(expected).text(), found, "a plain reader finds other judgments");
}

void check_run(const std::vector<Column>& columns, const std::vector<Chunk>& chunks,
               const rankmark::ChosenColumns& chosen, rankmark::RankingOptions options, const Plain& plain,
               std::uint8_t salt) {
  const fuzz::PlainQueries judged = fuzz::judged_of(plain.queries, salt);
  const rankmark::Judgments judgments = judged.judgments();
  const auto aligned = [&](const rankmark::Table& table, int threads, Told& told) {
    const rankmark::AlignedRun run = rankmark::align_table(table, chosen, judgments, options, threads, {});
    fuzz::tell(run, told);
    told << run.rows << run.interleaved;
  };
  const std::string found = told_by(true, [&](Told& told) { aligned(whole_table(columns, chunks), 1, told); });
  compare(found, told_by(true, [&](Told& told) { aligned(rankmark::copied(whole_table(columns, chunks)), 1, told); }),
          true);
  if (salt % 16 == 0) {
    compare(found, told_by(true, [&](Told& told) { aligned(whole_table(columns, chunks), 3, told); }), true);
  }
  const auto parts = [&](Told& told) {
    rankmark::BatchedRun run(judgments, options, chosen.number.has_value(), chosen.by_rank);
    std::vector<rankmark::Table> tables;
    ArrowArrayStream stream = Producer::stream(columns, chunks);
    rankmark::TableStream taken(stream);
    while (std::optional<rankmark::Table> table = taken.next()) {
      run.merge(run.part(*table, chosen));
      tables.push_back(std::move(*table));
    }
    run.close();
    if (run.interleaved() > 0) {
      for (const rankmark::Table& table : tables) run.gather(table, chosen);
    }
    const rankmark::AlignedRun whole = run.finish({});
    fuzz::tell(whole, told);
    told << whole.rows << whole.interleaved;
  };
  compare(found, told_by(false, parts), false);
  if (chunks.size() == 1 && chunks[0].broken != Broken::fails) {
    compare(found,
            told_by(true,
                    [&](Told& told) {
                      ArrowSchema schema;
                      ArrowArray array;
                      export_schema(columns, schema);
                      export_chunk(chunks[0], array);
                      aligned(rankmark::read_array(schema, array), 1, told);
                    }),
            true);
  }
  if (!is_read(found, plain, options.duplicates == rankmark::Duplicates::error)) return;
  if (!chosen.number || chosen.by_rank) options = options.of_ranks();
  Told counts;
  counts << plain.rows << plain.interleaved;
  fuzz::expect_same(fuzz::align_plainly(plain.queries, judged, {}, options) + std::move(counts).text(), found,
                    "a plain reader ranks otherwise");
  // One query's rows, and where a document stands.
  if (plain.queries.ids.empty()) return;
  const rankmark::Table table = whole_table(columns, chunks);
  const std::string query = plain.queries.ids[salt % plain.queries.ids.size()];
  const rankmark::QueryRows rows = rankmark::rows_of_query(table, chosen, query, 1, {});
  const std::vector<fuzz::PlainDocument>& documents = plain.queries.documents.at(query);
  expect(rows.documents.size() == documents.size(), "a query has another number of rows");
  for (std::size_t row = 0; row < documents.size(); ++row) {
    expect(rows.documents[row] == documents[row].id, "a query has other documents");
  }
  const auto places = rankmark::rows_of(table, chosen, query, documents[0].id);
  expect(!places.empty() && places[0] == rows.rows[0], "a document stands in another row");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  {
    fuzz::Input input(data, size);
    const std::uint8_t flags = input.byte(), salt = input.byte();
    Asked asked{(flags & 1) != 0, (flags & 6) != 0};
    asked.by_rank = asked.has_number && !asked.labels && (flags & 0x18) == 0x18;
    rankmark::RankingOptions options = fuzz::ranking_options_of(input);
    asked.single = options.single && !asked.labels;
    if ((flags & 0x60) == 0x60) options.memory = 0;
    const rankmark::ChosenColumns chosen{0, 1, asked.has_number ? std::optional<std::size_t>(2) : std::nullopt,
                                         asked.by_rank};
    const std::vector<Column> columns = columns_of(input, asked.has_number ? 3 : 2);
    std::vector<Chunk> chunks;
    const std::size_t count = 1 + input.below(4);
    for (std::size_t i = 0; i < count; ++i) {
      chunks.push_back(chunk_of(input, columns));
      for (fuzz::FuzzedArray& array : chunks.back().columns) fit_places(array);
    }
    const Plain plain = read_plainly(chunks, asked);
    if (asked.labels) {
      check_judgments(columns, chunks, chosen, plain);
    } else {
      check_run(columns, chunks, chosen, options, plain, salt);
    }
  }
  expect(fuzz::Exported::alive == 0, "something was not released");
  return 0;
}
