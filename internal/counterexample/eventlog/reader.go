package eventlog

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/printable"
)

// Format is the format of a log: one of [Formats].
type Format string

// The formats.
const (
	asLines Format = "lines"
	asCSV   Format = "csv"
	asJSON  Format = "json"
	asOTLP  Format = "otlp"
	asXES   Format = "xes"
)

// Formats returns the names of all formats.
func Formats() []string {
	return []string{
		string(asLines),
		string(asCSV),
		string(asJSON),
		string(asOTLP),
		string(asXES),
	}
}

// longestRecord bounds the bytes of a line, of a row, or of an event in XML.
const longestRecord = 1 << 20

// Event is one event of a log.
type Event struct {
	// Case is the case of the event; "" if the log has none.
	Case string
	Name string
	// Line is the line where the event ends; 0 if the format has no lines.
	Line int
	// Time is when the event happened; the zero time if that is not known.
	Time time.Time
}

// Options control how a log is read.
type Options struct {
	// Name is the name of the file, for messages and as a hint at the format.
	Name string
	// Format is the format. If it is empty, the reader guesses it from the content, then from the
	// name.
	Format Format
	// Field is the column, field or attribute with the event, CaseField is the one with the case, and
	// TimeField is the one with the time. For XES, the defaults are concept:name of the event,
	// concept:name of the trace, and time:timestamp.
	Field, CaseField, TimeField string
	// SkipBroken leaves broken records out.
	SkipBroken bool
}

// BrokenError reports a record that cannot be read. Later records may be readable.
type BrokenError struct {
	File  string
	Line  int // 0 if the line is not known
	Wrong error
}

func (e *BrokenError) Error() string { return place(e.File, e.Line) + ": " + e.Wrong.Error() }

// Unwrap returns the cause.
func (e *BrokenError) Unwrap() error { return e.Wrong }

// place returns a line of a file as messages name it; only the file if the line is 0.
func place(file string, line int) string {
	if line == 0 {
		return file
	}
	return file + ":" + strconv.Itoa(line)
}

// UnnamedError reports that the reader does not know which column or field has the events.
type UnnamedError struct {
	File string
	// Noun is "column" or "field", and Names are the names that exist.
	Noun  string
	Names []string
	// Wanted is the requested name, which does not exist; "" if none was requested.
	Wanted string
}

func (e *UnnamedError) Error() string {
	var names []string
	for _, name := range e.Names[:min(mostNames, len(e.Names))] {
		names = append(names, printable.Echo(name))
	}
	list := strings.Join(names, ", ")
	n := len(e.Names) - mostNames
	if n > 0 {
		list += fmt.Sprintf(" and %d more", n)
	}
	if e.Wanted != "" {
		return fmt.Sprintf("%s: there is no %s %s; there are %s", e.File, e.Noun,
			printable.Echo(e.Wanted), list)
	}
	return fmt.Sprintf("%s: the %s with the events has to be named; there are %s", e.File,
		e.Noun, list)
}

const mostNames = 8

// Reader reads the events of a log. Only one goroutine may use it at a time.
type Reader struct {
	ctx context.Context
	o   Options
	// next reads a record. An error other than *BrokenError ends the log; at its end, the error is
	// io.EOF. If a record is no event, next returns an event without a name.
	next   func() (Event, error)
	lines  *lineReader // the reader of lines of text or JSON
	close  func()
	broken int
	other  int
	events int
}

// NewReader returns a reader of a log. It reads as much as it needs to recognise the format. It
// fails if the format is not recognised, and with an *UnnamedError.
func NewReader(ctx context.Context, r io.Reader, o Options) (*Reader, error) {
	plain, err := compressed.NewReader(r, 1)
	if err != nil {
		return nil, withFile(o.Name, err)
	}
	x := &Reader{ctx: ctx, o: o, close: plain.Close}
	in := bufio.NewReaderSize(plain, sniffed)
	if err := x.open(in); err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// Follow returns a reader of lines or JSON lines that never reads past the end of the requested
// line, so a log can be followed while it is written. The format is lines, or JSON lines if o names
// a field.
func Follow(ctx context.Context, r io.Reader, o Options) *Reader {
	x := &Reader{ctx: ctx, o: o, close: func() {}}
	in := &lineReader{in: bufio.NewReaderSize(r, 64<<10), file: o.Name}
	x.o.Format = asLines
	if o.Field != "" {
		x.o.Format = asJSON
	}
	x.byLines(in)
	return x
}

// sniffed is the largest number of bytes at the beginning of a log that are used to guess its
// format.
const sniffed = 64 << 10

// open finds the format of the log, and prepares reading its events.
func (x *Reader) open(in *bufio.Reader) error {
	start, err := in.Peek(sniffed)
	if err != nil && err != io.EOF && len(start) == 0 {
		return withFile(x.o.Name, err)
	}
	if bytes.HasPrefix(start, byteOrderMark) {
		_, _ = in.Discard(len(byteOrderMark))
		start = start[len(byteOrderMark):]
	}
	if x.o.Format == "" {
		x.o.Format = guessFormat(start, x.o)
	}
	hasFields := x.o.Format == asJSON || x.o.Format == asCSV
	if x.o.TimeField != "" && !hasFields {
		return fmt.Errorf("%s: a field with the time can be named only for CSV and JSON; this is read as %s", x.o.Name, x.o.Format)
	}
	switch x.o.Format {
	case asLines:
		return x.openLines(in)
	case asJSON:
		return x.openJSON(in, start)
	case asCSV:
		return x.openTable(in, start)
	case asOTLP:
		return x.openSpans(in)
	case asXES:
		x.openXES(in)
		return nil
	}
	return fmt.Errorf("%s: there is no format %q of logs; choose %s", x.o.Name, x.o.Format,
		strings.Join(Formats(), ", "))
}

// byteOrderMark may occur at the beginning of a text in UTF-8.
var byteOrderMark = []byte("\xef\xbb\xbf")

// guessFormat guesses the format of a log from its first characters, the options that name fields,
// and the name of the file.
func guessFormat(start []byte, o Options) Format {
	text := bytes.TrimLeft(start, " \t\r\n")
	firstLine, _, _ := bytes.Cut(text, []byte("\n"))
	suffix := suffixOf(o.Name)
	beginsWith := func(prefix string) bool { return bytes.HasPrefix(text, []byte(prefix)) }
	isObject := beginsWith("{")
	switch {
	case beginsWith("<?xml"), beginsWith("<!--"), beginsWith("<log"):
		return asXES
	case isObject && bytes.Contains(start, []byte(`"resourceSpans"`)):
		return asOTLP
	case isObject && (o.Field != "" || json.Valid(firstLine)):
		return asJSON
	case o.Field != "", o.CaseField != "", suffix == ".csv", suffix == ".tsv":
		return asCSV
	}
	return asLines
}

// suffixOf returns the suffix of a file's name. A suffix of compressed files, such as .gz, does not
// count.
func suffixOf(file string) string {
	suffix := filepath.Ext(file)
	for _, pressed := range []string{".gz", ".zst", ".bz2"} {
		if suffix == pressed {
			suffix = filepath.Ext(strings.TrimSuffix(file, pressed))
		}
	}
	return suffix
}

func (x *Reader) openLines(in *bufio.Reader) error {
	if x.o.Field != "" || x.o.CaseField != "" {
		return fmt.Errorf("%s: lines of text have no fields", x.o.Name)
	}
	x.byLines(&lineReader{in: in, file: x.o.Name})
	return nil
}

// openJSON prepares reading a log of JSON lines. It fails if no field is named, and then lists those of
// the first line.
func (x *Reader) openJSON(in *bufio.Reader, start []byte) error {
	if x.o.Field == "" {
		line, _, _ := bytes.Cut(bytes.TrimLeft(start, " \t\r\n"), []byte("\n"))
		var object map[string]json.RawMessage
		_ = json.Unmarshal(line, &object) // without an object there are no names
		return &UnnamedError{
			File:  x.o.Name,
			Noun:  "field",
			Names: slices.Sorted(maps.Keys(object)),
		}
	}
	x.byLines(&lineReader{in: in, file: x.o.Name})
	return nil
}

func (x *Reader) openTable(in *bufio.Reader, start []byte) error {
	table, err := newTable(in, x.o, start)
	if err != nil {
		return err
	}
	x.next = table.next
	return nil
}

func (x *Reader) openSpans(in *bufio.Reader) error {
	if x.o.Field != "" || x.o.CaseField != "" {
		return fmt.Errorf("%s: spans have no fields to choose: the name is the event, and the trace the case", x.o.Name)
	}
	spans := &spanSource{x: x, in: in}
	x.next = spans.next
	return nil
}

func (x *Reader) openXES(in *bufio.Reader) {
	document := &xesSource{in: &bounded{in: in, most: longestRecord}, o: x.o}
	document.tokens = xml.NewDecoder(document.in)
	// Names of character sets are ignored: bytes that are no UTF-8 are kept.
	document.tokens.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) {
		return in, nil
	}
	x.next = document.next
}

// byLines reads lines that are events or, if the format is JSON, objects.
func (x *Reader) byLines(in *lineReader) {
	x.lines = in
	if x.o.Format == asJSON {
		x.next = func() (Event, error) { return in.object(x.o) }
		return
	}
	x.next = in.event
}

// Next returns the next event; io.EOF if there is none. Errors have the file and the line. For a
// broken record the error is a *[BrokenError], and reading may continue.
func (x *Reader) Next() (Event, error) {
	for n := 0; ; n++ {
		if n&1023 == 0 {
			if err := x.ctx.Err(); err != nil {
				return Event{}, err
			}
		}
		e, err := x.next()
		var broken *BrokenError
		switch {
		case errors.As(err, &broken) && x.o.SkipBroken:
			x.broken++
		case err != nil:
			return Event{}, err
		case e.Name == "":
			x.other++
		default:
			x.events++
			return e, nil
		}
	}
}

// Format returns the format of the log.
func (x *Reader) Format() Format { return x.o.Format }

// Broken returns how many broken records were left out so far.
func (x *Reader) Broken() int { return x.broken }

// Others returns the number of records that are no events, because the field with the event's name is
// missing or empty.
func (x *Reader) Others() int { return x.other }

// Events returns how many events were read so far.
func (x *Reader) Events() int { return x.events }

// Line returns how many lines of text or JSON were read so far; 0 for other formats.
func (x *Reader) Line() int {
	if x.lines == nil {
		return 0
	}
	return x.lines.line
}

// Close releases the memory of decompressors.
func (x *Reader) Close() { x.close() }

// withFile adds the name of the file to an error.
func withFile(file string, err error) error { return fmt.Errorf("%s: %w", file, err) }

// withPlace adds the file and the line to an error; only the file if the line is 0.
func withPlace(file string, line int, err error) error { return withFile(place(file, line), err) }

// parseTime reads a time: in the format of RFC 3339, with or without a zone, or as a number. The number
// is read as seconds even if the log counts in another unit, for times are only compared with each other.
func parseTime(text string) (time.Time, error) {
	for _, layout := range []string{
		time.RFC3339Nano,
		"2006-01-02 15:04:05.999999999",
		"2006-01-02T15:04:05.999999999",
	} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	whole, fraction, _ := strings.Cut(text, ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	const mostDigits = 9 // of a fraction, down to nanoseconds
	if err != nil || len(fraction) > mostDigits {
		return time.Time{}, notTime(text)
	}
	padded := (fraction + "000000000")[:mostDigits]
	nanoseconds, err := strconv.ParseInt(padded, 10, 64)
	hasSign := strings.HasPrefix(fraction, "-") || strings.HasPrefix(fraction, "+")
	if err != nil || hasSign {
		return time.Time{}, notTime(text)
	}
	if strings.HasPrefix(whole, "-") {
		nanoseconds = -nanoseconds
	}
	return time.Unix(seconds, nanoseconds), nil
}

// notTime returns the error for a text that is no time.
func notTime(text string) error {
	return fmt.Errorf("%q is not a time: neither of RFC 3339 nor a number", text)
}

// lineReader reads lines and counts them.
type lineReader struct {
	in   *bufio.Reader
	file string
	line int
	text []byte // the parts of a line that is longer than the buffer
	// inLongLine reports whether the reader is inside a line that is too long.
	inLongLine bool
}

// next returns a line, without its end. The bytes are valid until the next call. For a line that is
// too long, it returns an error as soon as the limit is exceeded, since the line may never end.
func (r *lineReader) next() ([]byte, error) {
	r.text = r.text[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		endsLine := err == nil // the line feed is in part
		if err == bufio.ErrBufferFull {
			err = nil
		}
		switch {
		case err != nil && err != io.EOF:
			return nil, withPlace(r.file, r.line+1, err)
		case r.inLongLine:
			if err != nil {
				return nil, err
			}
			r.inLongLine = !endsLine
			continue
		case err == io.EOF && len(part)+len(r.text) == 0:
			return nil, err
		case len(r.text)+len(part) > longestRecord:
			r.line++
			r.inLongLine = !endsLine
			return nil, r.broken("the line is longer than %d bytes, too long for an action",
				longestRecord)
		case !endsLine && err == nil: // the buffer was full
			r.text = append(r.text, part...)
			continue
		}
		r.line++
		if len(r.text) > 0 {
			r.text = append(r.text, part...)
			part = r.text
		}
		return bytes.TrimRight(part, "\r\n"), nil
	}
}

// broken returns the error of the line that was read last.
func (r *lineReader) broken(format string, values ...any) error {
	return &BrokenError{r.file, r.line, fmt.Errorf(format, values...)}
}

// filled returns the next line that is not blank.
func (r *lineReader) filled() ([]byte, error) {
	for {
		line, err := r.next()
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			return line, nil
		}
	}
}

// event reads a line that is the name of an event.
func (r *lineReader) event() (Event, error) {
	line, err := r.filled()
	if err != nil {
		return Event{}, err
	}
	return Event{Name: string(line), Line: r.line}, nil
}

// object reads a line that is an object with the fields that the options name.
func (r *lineReader) object(o Options) (Event, error) {
	line, err := r.filled()
	if err != nil {
		return Event{}, err
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(line, &object); err != nil {
		return Event{}, r.broken("the line is not a JSON object: %w", err)
	}
	value, hasEvent := object[o.Field]
	if !hasEvent {
		return Event{}, nil
	}
	e := Event{Line: r.line}
	if json.Unmarshal(value, &e.Name) != nil || string(value) == "null" {
		return Event{}, r.broken("the field %s is not text: %s", o.Field, value)
	}
	if o.CaseField != "" {
		e.Case, err = r.scalar(object, o.CaseField)
		if err != nil {
			return Event{}, err
		}
	}
	if o.TimeField != "" {
		text, err := r.scalar(object, o.TimeField)
		if err != nil {
			return Event{}, err
		}
		e.Time, err = parseTime(text)
		if err != nil {
			return Event{}, r.broken("%w", err)
		}
	}
	return e, nil
}

// scalar returns the text of a field that is a string, a number or a Boolean.
func (r *lineReader) scalar(
	object map[string]json.RawMessage,
	field string,
) (text string, err error) {
	value, isPresent := object[field]
	if !isPresent {
		return "", r.broken("the field %s is missing", field)
	}
	if json.Unmarshal(value, &text) == nil && value[0] == '"' {
		return text, nil
	}
	switch value[0] {
	case '{', '[', 'n':
		return "", r.broken("the field %s is neither text nor number: %s", field, value)
	}
	return string(value), nil
}

// tableSource reads rows of a table.
type tableSource struct {
	rows *csv.Reader
	in   *bounded
	o    Options
	// These are the indices of columns; -1 for none.
	eventColumn, caseColumn, timeColumn int
}

// newTable reads the names of the columns. The delimiter is the candidate that occurs most often in
// the first line of start.
func newTable(in io.Reader, o Options, start []byte) (*tableSource, error) {
	s := &tableSource{in: &bounded{in: in, most: longestRecord}, o: o}
	s.rows = csv.NewReader(s.in)
	s.rows.Comma = delimiterOf(start)
	s.rows.ReuseRecord = true
	header, err := s.rows.Read()
	if err != nil && err != io.EOF {
		return nil, s.readError(err)
	}
	names := make([]string, len(header))
	for i, name := range header {
		names[i] = strings.TrimSpace(name)
	}
	if o.Field == "" && len(names) > 0 {
		return nil, &UnnamedError{File: o.Name, Noun: "column", Names: names}
	}
	if s.eventColumn, err = column(names, o.Field, o.Name); err != nil {
		return nil, err
	}
	if s.caseColumn, err = column(names, o.CaseField, o.Name); err != nil {
		return nil, err
	}
	if s.timeColumn, err = column(names, o.TimeField, o.Name); err != nil {
		return nil, err
	}
	return s, nil
}

// delimiterOf returns the delimiter of a table whose file begins with start.
func delimiterOf(start []byte) rune {
	line, _, _ := bytes.Cut(start, []byte("\n"))
	return slices.MaxFunc([]rune{',', ';', '\t'}, func(a, b rune) int {
		return bytes.Count(line, []byte(string(a))) - bytes.Count(line, []byte(string(b)))
	})
}

// column returns the index of the wanted column; -1 if no column is wanted, or if there are no
// columns.
func column(names []string, wanted, file string) (int, error) {
	if wanted == "" || len(names) == 0 {
		return -1, nil
	}
	i := slices.Index(names, wanted)
	if i < 0 {
		return -1, &UnnamedError{
			File:   file,
			Noun:   "column",
			Names:  names,
			Wanted: wanted,
		}
	}
	return i, nil
}

// next returns the event of the next row.
func (s *tableSource) next() (Event, error) {
	s.in.read = 0
	row, err := s.rows.Read()
	if err == io.EOF {
		return Event{}, err
	}
	if err != nil {
		return Event{}, s.readError(err)
	}
	var e Event
	e.Line, _ = s.rows.FieldPos(s.eventColumn)
	e.Name = strings.Clone(row[s.eventColumn])
	if s.caseColumn >= 0 {
		e.Case = strings.Clone(row[s.caseColumn])
	}
	if s.timeColumn >= 0 && e.Name != "" {
		e.Time, err = parseTime(row[s.timeColumn])
		if err != nil {
			return Event{}, &BrokenError{s.o.Name, e.Line, err}
		}
	}
	return e, nil
}

// readError turns an error of the CSV reader into the error of next: a *[BrokenError] for a row that
// cannot be read, or an error of the file, which ends the log.
func (s *tableSource) readError(err error) error {
	var parse *csv.ParseError
	switch {
	case !errors.As(err, &parse):
		return withFile(s.o.Name, err)
	case errors.Is(err, csv.ErrFieldCount):
		return &BrokenError{
			s.o.Name,
			parse.StartLine,
			fmt.Errorf("the row does not have %d columns, as the first line",
				s.rows.FieldsPerRecord),
		}
	}
	return &BrokenError{
		s.o.Name,
		parse.StartLine,
		fmt.Errorf("the row cannot be read: %w", parse.Err),
	}
}

// bounded is a reader that fails once it has read too many bytes for one record, including what is
// read ahead: more than the number most. The caller sets read to 0 at the beginning of each record.
type bounded struct {
	in         io.Reader
	most, read int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.read > b.most {
		return 0, fmt.Errorf("a record is longer than %d bytes, too long for an action", b.most)
	}
	n, err := b.in.Read(p[:min(len(p), 64<<10)])
	b.read += n
	return n, err
}
