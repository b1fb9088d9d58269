// Package eventlog reads logs of events one event at a time: lines of text, CSV, JSON lines, spans
// of OpenTelemetry (OTLP in JSON) and XES (IEEE 1849), which may be compressed.
//
//   - Lines: a line is an event; lines without text are no events.
//   - JSON: a line is an object with the event in a field. Objects without this field are no events.
//   - CSV: the first line has the names of the columns, separated by commas, semicolons or tabs;
//     one column has the events. Rows without text in this column are no events.
//   - OTLP: a span is the events start(NAME) and end(NAME). A trace is a case, and its events are
//     ordered by time. At the same time, ends come before starts, and inner spans end before the
//     spans that contain them.
//   - XES: the name of an event is its attribute concept:name; if its lifecycle:transition is not
//     complete, + and the transition follow. A trace is a case.
//
// Memory does not grow with the log, except for OTLP, and no record is kept that is longer
// than 1 MiB.
package eventlog
