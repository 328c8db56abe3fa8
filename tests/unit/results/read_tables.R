# Reads each file of a folder as an R user does, and writes what R has read: the class of each column and its values.
library(jsonlite)

as_text <- function(column) {
  shown <- if (is.numeric(column)) sprintf("%.17g", column) else as.character(column)
  ifelse(is.na(column), NA, shown)
}

of_csv <- function(path) {
  read <- read.csv(path, check.names = FALSE, na.strings = "", encoding = "UTF-8")
  lapply(read, function(column) list(class = class(column)[1], values = I(as_text(column))))
}

of_json <- function(path) {
  read <- fromJSON(path, simplifyVector = FALSE)
  list(names = I(names(read)), rows = length(read$rows))
}

folder <- commandArgs(trailingOnly = TRUE)[1]
csv <- list.files(folder, "\\.csv$")
json <- list.files(folder, "\\.json$")
read <- list(
  csv = setNames(lapply(file.path(folder, csv), of_csv), csv),
  json = setNames(lapply(file.path(folder, json), of_json), json)
)
cat(toJSON(read, auto_unbox = TRUE, na = "null"))
