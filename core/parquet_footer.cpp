// The footer of a Parquet file: what its columns are, and where they stand.
#include <algorithm>
#include <array>
#include <utility>

#include "parquet.hpp"
#include "thrift.hpp"

namespace rankmark {
namespace {

using Kind = ThriftReader::Kind;

// What the schema says of a column.
struct Leaf {
  std::string_view name;
  std::int64_t type = -1;
  bool is_optional = false, is_read = false;
};

bool is_whole(Kind kind) noexcept { return kind == Kind::i16 || kind == Kind::i32 || kind == Kind::i64; }

// Reads a number if it is one.
void take(ThriftReader& reader, Kind kind, std::int64_t& number) {
  if (is_whole(kind)) {
    number = reader.whole();
  } else {
    reader.skip(kind);
  }
}

// Reads a list of structures if it is one.
template <class Use>
void each_structure(ThriftReader& reader, Kind kind, const Use& use) {
  if (kind != Kind::list) return reader.skip(kind);
  reader.elements([&](Kind element) {
    if (element != Kind::structure) throw ThriftFault();
    use();
  });
}

// The columns in the order of the tree that the schema lists; those right below its root can be read.
class Schema {
 public:
  void add(ThriftReader& reader) {
    Leaf leaf;
    std::int64_t repetition = 0, children = 0;
    reader.fields([&](std::int64_t field, Kind kind) {
      switch (field) {
        case 1: return take(reader, kind, leaf.type);
        case 3: return take(reader, kind, repetition);
        case 4:
          if (kind != Kind::binary) throw ThriftFault();
          leaf.name = reader.text();
          return;
        case 5: return take(reader, kind, children);
        default: return reader.skip(kind);
      }
    });
    const bool is_root = !std::exchange(has_root_, true);
    if (open_.empty() && !is_root) throw ParquetFault();
    if (children < 0) throw ParquetFault();
    const std::size_t depth = open_.size();
    if (!is_root) --open_.back();
    if (children > 0) {
      open_.push_back(children);
    } else if (!is_root) {
      leaf.is_read = depth == 1 && (repetition == 0 || repetition == 1);
      leaf.is_optional = repetition == 1;
      leaves_.push_back(leaf);
    }
    while (!open_.empty() && open_.back() == 0) open_.pop_back();
  }

  const std::vector<Leaf>& leaves() const noexcept { return leaves_; }

 private:
  std::vector<std::int64_t> open_;  // children that are still to come
  std::vector<Leaf> leaves_;
  bool has_root_ = false;
};

ParquetChunk chunk_of(ThriftReader& reader) {
  ParquetChunk chunk;
  reader.fields([&](std::int64_t field, Kind kind) {
    if (field == 1 || field == 8 || field == 9) chunk.is_read = false;  // in another file, or encrypted
    if (field != 3 || kind != Kind::structure) return reader.skip(kind);
    reader.fields([&](std::int64_t number, Kind of) {
      switch (number) {
        case 1: return take(reader, of, chunk.type);
        case 4: return take(reader, of, chunk.codec);
        case 5: return take(reader, of, chunk.values);
        case 6: return take(reader, of, chunk.unpacked);
        case 7: return take(reader, of, chunk.packed);
        case 9: return take(reader, of, chunk.data);
        case 11: return take(reader, of, chunk.dictionary);
        default: return reader.skip(of);
      }
    });
  });
  return chunk;
}

ParquetGroup group_of(ThriftReader& reader) {
  ParquetGroup group;
  reader.fields([&](std::int64_t field, Kind kind) {
    if (field == 1) return each_structure(reader, kind, [&] { group.columns.push_back(chunk_of(reader)); });
    if (field == 3) return take(reader, kind, group.rows);
    reader.skip(kind);
  });
  return group;
}

void name_columns(ParquetGroup& group, const std::vector<Leaf>& leaves) {
  if (group.columns.size() != leaves.size()) throw ParquetFault();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    ParquetChunk& chunk = group.columns[i];
    chunk.name = leaves[i].name;
    chunk.is_optional = leaves[i].is_optional;
    chunk.is_read &= leaves[i].is_read && leaves[i].type == chunk.type;
  }
}

}  // namespace

std::vector<ParquetGroup> parquet_groups(std::string_view footer) {
  std::vector<ParquetGroup> groups;
  Schema schema;
  try {
    ThriftReader reader(footer);
    reader.fields([&](std::int64_t field, Kind kind) {
      if (field == 2) return each_structure(reader, kind, [&] { schema.add(reader); });
      if (field == 4) return each_structure(reader, kind, [&] { groups.push_back(group_of(reader)); });
      reader.skip(kind);
    });
  } catch (const ThriftFault&) {
    throw ParquetFault();
  }
  for (ParquetGroup& group : groups) name_columns(group, schema.leaves());
  return groups;
}

}  // namespace rankmark
