// What the core throws when input is wrong: a place in the file and what was found there; Python words it.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace rankmark {

// A line that cannot be read. `offset` lies within the line, counted in bytes from the file's start.
class ParseFault : public std::exception {
 public:
  ParseFault(std::uint64_t offset, std::string message) : offset(offset), message(std::move(message)) {}
  const char* what() const noexcept override { return message.c_str(); }

  std::uint64_t offset;
  std::string message;
};

// One document twice for one query.
class DuplicateFault : public std::exception {
 public:
  DuplicateFault(std::string query, std::string document)
      : query(std::move(query)), document(std::move(document)) {}
  const char* what() const noexcept override { return "duplicate document"; }

  std::string query;
  std::string document;
};

// The file cannot be read at all: the operating system said so, or it changed while it was read.
class FileFault : public std::exception {
 public:
  explicit FileFault(std::string message) : message(std::move(message)) {}
  const char* what() const noexcept override { return message.c_str(); }

  std::string message;
};

// A producer of Arrow data failed, or gave something else than a table.
class StreamFault : public std::exception {
 public:
  explicit StreamFault(std::string message) : message(std::move(message)) {}
  const char* what() const noexcept override { return message.c_str(); }

  std::string message;
};

}  // namespace rankmark
