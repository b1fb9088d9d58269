// Package eventlog reads logs of events one event at a time: lines of text, CSV, JSON lines,
// spans of OpenTelemetry (OTLP in JSON) and XES (IEEE 1849), which may be compressed.
//
//   - Lines: a line is an event; lines without text are no events.
//   - JSON: a line is an object with the event in a field. Objects without it are no events.
//   - CSV: the first line has the names of the columns, which commas, semicolons or tabs
//     separate; one column has the events. Rows without text in this column are no events.
//   - OTLP: a span is the events start(NAME) and end(NAME). A trace is a case, and its events are
//     ordered by time; at one time ends come before starts, and of spans within each other the
//     inner one ends first.
//   - XES: an event is called what its attribute concept:name is, with a + and the
//     lifecycle:transition behind it where that is not complete. A trace is a case.
//
// The invariant that holds inside: memory does not grow with the log, except for OTLP, and no
// record is kept that is longer than 1 MiB.
package eventlog
