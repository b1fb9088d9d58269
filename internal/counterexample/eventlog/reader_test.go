package eventlog_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/internal/counterexample/eventlog"
	"github.com/inev-lts/inev/internal/testing/mutation"
)

// read returns what a log has: events as CASE/NAME@LINE, and the error that ended it.
func read(t testing.TB, text string, o eventlog.Options) (all []string, r *eventlog.Reader, err error) {
	t.Helper()
	if o.Name == "" {
		o.Name = "log"
	}
	if r, err = eventlog.NewReader(context.Background(), strings.NewReader(text), o); err != nil {
		return nil, nil, err
	}
	defer r.Close()
	for {
		e, err := r.Next()
		if err == io.EOF {
			return all, r, nil
		}
		if err != nil {
			return all, r, err
		}
		all = append(all, fmt.Sprintf("%s/%s@%d", e.Case, e.Name, e.Line))
	}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		name, text string
		o          eventlog.Options
		format     eventlog.Format
		want       string // events, or the error
	}{
		{"lines", "REQ !1\r\n\n  \nACK", eventlog.Options{}, "lines", "/REQ !1@1 /ACK@4"},
		{"byte order mark", "\xef\xbb\xbfREQ\n", eventlog.Options{}, "lines", "/REQ@1"},
		{"nothing", "", eventlog.Options{}, "lines", ""},
		{"braces in lines", "{a, b}\n", eventlog.Options{}, "lines", "/{a, b}@1"},
		{"fields of lines", "REQ", eventlog.Options{Format: "lines", Field: "x"}, "", "log: lines of text have no fields"},
		{"objects", "{\"e\": \"a\", \"c\": 7}\n\n{\"x\": 1}\n{\"c\": \"8\", \"e\": \"b\"}\n", eventlog.Options{Field: "e", CaseField: "c"}, "json", "7/a@1 8/b@4"},
		{"objects without a field", "{\"e\": \"a\"}\n", eventlog.Options{}, "", "log: the field with the events has to be named; there are e"},
		{"no text", "{\"e\": 3}\n", eventlog.Options{Field: "e"}, "json", "log:1: the field e is not text: 3"},
		{"null", "{\"e\": null}\n", eventlog.Options{Field: "e"}, "json", "log:1: the field e is not text: null"},
		{"no case", "{\"e\": \"a\"}\n", eventlog.Options{Field: "e", CaseField: "c"}, "json", "log:1: the field c is missing"},
		{"nested case", "{\"e\": \"a\", \"c\": [1]}\n", eventlog.Options{Field: "e", CaseField: "c"}, "json", "log:1: the field c is neither text nor number: [1]"},
		{"table", "c,e\n1,a\n2,\"b,\nc\"\n1,\n", eventlog.Options{Field: "e", CaseField: "c"}, "csv", "1/a@2 2/b,\nc@3"},
		{"semicolons", "c;e\n1;a\n", eventlog.Options{Field: "e"}, "csv", "/a@2"},
		{"tabs", "c\te\n1\ta\n", eventlog.Options{Name: "log.tsv", Field: "e"}, "csv", "/a@2"},
		{"only a header", "c,e", eventlog.Options{Field: "e"}, "csv", ""},
		{"an empty table", "", eventlog.Options{Field: "e"}, "csv", ""},
		{"columns without a name", "c,e\n", eventlog.Options{Name: "log.csv.gz"}, "", "log.csv.gz: the column with the events has to be named; there are c, e"},
		{"no such column", "a,b,c,d,e,f,g,h,i,j\n", eventlog.Options{Field: "k"}, "", "log: there is no column k; there are a, b, c, d, e, f, g, h and 2 more"},
		{"short row", "c,e\n1\n", eventlog.Options{Field: "e"}, "csv", "log:2: the row does not have 2 columns, as the first line"},
		{"bare quote", "c,e\n1,a\"b\n", eventlog.Options{Field: "e"}, "csv", `log:2: the row cannot be read: bare " in non-quoted-field`},
		{"bad time", "c,e\nnow,a\n", eventlog.Options{Field: "e", TimeField: "c"}, "csv", `log:2: "now" is not a time: neither of RFC 3339 nor a number`},
		{"time of XES", "<log/>", eventlog.Options{TimeField: "c"}, "", "log: a field with the time can be named only for CSV and JSON; this is read as xes"},
		{"no format", "", eventlog.Options{Format: "xml"}, "", `log: there is no format "xml" of logs; choose lines, csv, json, otlp, xes`},
		{"XES", `<log><trace><event><string key="concept:name" value="a"/><string key="lifecycle:transition" value="start"/></event>
<event><string key="concept:name" value="a"><string key="concept:name" value="inner"/></string></event></trace>
<trace><string key="concept:name" value="x"/><event><string key="org" value="b"/></event><event><string key="concept:name" value="b"/></event></trace></log>`,
			eventlog.Options{}, "xes", "1/a+start@1 1/a@2 x/b@3"},
		{"XES, another field", `<log><trace><event><string key="org" value="b"/></event></trace></log>`, eventlog.Options{Field: "org"}, "xes", "1/b@1"},
		{"no XES", "<?xml version=\"1.0\"?><a></a>", eventlog.Options{}, "xes", "log: there is no element log, so this is not XES"},
		{"XES cut short", "<log>\n<trace>", eventlog.Options{}, "xes", "log:2: the XML cannot be read: unexpected EOF"},
		{"XES, bad time", `<log><trace><event><date key="time:timestamp" value="x"/></event></trace></log>`, eventlog.Options{}, "xes", `log:1: "x" is not a time: neither of RFC 3339 nor a number`},
		{"deep XES", "<log>" + strings.Repeat("<a>", 200), eventlog.Options{}, "xes", "log:1: more than 100 nested elements of XML"},
		{"spans", spans(`{"traceId":"t","spanId":"1","name":"a","startTimeUnixNano":"10","endTimeUnixNano":"20"}`, `{"traceId":"t","spanId":"2","parentSpanId":"1","name":"b","startTimeUnixNano":10,"endTimeUnixNano":"20"}`,
			`{"traceId":"t","spanId":"3","name":"c","startTimeUnixNano":"20","endTimeUnixNano":"20"}`, `{"traceId":"u","spanId":"1","name":"d","startTimeUnixNano":"1","endTimeUnixNano":"2"}`),
			eventlog.Options{}, "otlp", "t/start(a)@1 t/start(b)@1 t/end(b)@1 t/end(a)@1 t/start(c)@1 t/end(c)@1 u/start(d)@1 u/end(d)@1"},
		{"spans over lines", strings.ReplaceAll(spans(`{"traceId":"t","spanId":"1","name":"a","startTimeUnixNano":"10","endTimeUnixNano":"20"}`), ",", ",\n"), eventlog.Options{}, "otlp", "t/start(a)@0 t/end(a)@0"},
		{"a span that ends first", spans(`{"spanId":"1","name":"a","startTimeUnixNano":"10","endTimeUnixNano":"9"}`), eventlog.Options{}, "otlp", "log:1: the span 1 ends before it starts"},
		{"a span without a name", spans(`{"spanId":"1"}`), eventlog.Options{}, "otlp", "log:1: the span 1 has no name"},
		{"a span without a time", spans(`{"spanId":"1","name":"a"}`), eventlog.Options{}, "otlp", "log:1: the startTimeUnixNano of the span 1 is not a time in nanoseconds: "},
		{"parents in a circle", spans(`{"traceId":"t","spanId":"1","parentSpanId":"2","name":"a","startTimeUnixNano":"1","endTimeUnixNano":"2"}`, `{"traceId":"t","spanId":"2","parentSpanId":"1","name":"b","startTimeUnixNano":"3","endTimeUnixNano":"4"}`),
			eventlog.Options{}, "otlp", "t/start(a)@1 t/end(a)@1 t/start(b)@1 t/end(b)@1"},
		{"fields of spans", spans(), eventlog.Options{Field: "x"}, "", "log: spans have no fields to choose: the name is the event, and the trace the case"},
	} {
		all, r, err := read(t, c.text, c.o)
		found := strings.Join(all, " ")
		if err != nil {
			found = err.Error()
		}
		if found != c.want {
			t.Errorf("%s: %q, want %q", c.name, found, c.want)
		}
		if r != nil && r.Format() != c.format {
			t.Errorf("%s: read as %s, want %s", c.name, r.Format(), c.format)
		}
	}
}

func spans(all ...string) string {
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Join(all, ",") + "]}]}]}"
}

func TestBrokenRecordsAreCounted(t *testing.T) {
	for _, c := range []struct {
		text   string
		o      eventlog.Options
		want   string
		broken int
	}{
		{"{\"e\": \"a\"}\n{\n{\"e\": 1}\n{\"e\": \"b\"}\n", eventlog.Options{Field: "e"}, "/a@1 /b@4", 2},
		{"c,e\n1,a\n2\n3,b\"\n4,b\n", eventlog.Options{Field: "e"}, "/a@2 /b@5", 2},
		{"a\n" + strings.Repeat("x", 1<<20+1) + "\nb\n", eventlog.Options{}, "/a@1 /b@3", 1},
		{spans(`{"traceId":"t","spanId":"1","name":"a","startTimeUnixNano":"1","endTimeUnixNano":"2"}`, `{}`) + "\n{\n", eventlog.Options{}, "t/start(a)@1 t/end(a)@1", 2},
		{`<log><trace><event><string key="concept:name" value="a"/><date key="time:timestamp" value="x"/></event><event><string key="concept:name" value="b"/></event></trace></log>`, eventlog.Options{}, "1/b@1", 1},
	} {
		c.o.SkipBroken = true
		all, r, err := read(t, c.text, c.o)
		if err != nil || strings.Join(all, " ") != c.want || r.Broken() != c.broken || r.Events() != len(all) {
			t.Errorf("%.80q: %v, %v", c.text, all, err)
		} else if c.o.SkipBroken = false; c.broken > 0 {
			var broken *eventlog.BrokenError
			if _, _, err := read(t, c.text, c.o); !errors.As(err, &broken) {
				t.Errorf("%.80q: %v, want a broken record", c.text, err)
			}
		}
	}
}

func TestTimes(t *testing.T) {
	text := "t,e\n2026-01-02T03:04:05Z,a\n2026-01-02 03:04:05.5,b\n17,c\n17.25,d\n-1.5,e\n"
	r, err := eventlog.NewReader(context.Background(), strings.NewReader(text), eventlog.Options{Name: "log", Field: "e", TimeField: "t"})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, want := range []time.Time{at, at.Add(time.Second / 2), time.Unix(17, 0), time.Unix(17, 25e7), time.Unix(-1, -5e8)} {
		if e, err := r.Next(); err != nil || !e.Time.Equal(want) {
			t.Errorf("%v (%v), want %v", e, err, want)
		}
	}
}

func TestCompressedLogs(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte("<log><trace><event><string key='concept:name' value='a'/></event></trace></log>"))
	_ = z.Close()
	if all, _, err := read(t, b.String(), eventlog.Options{}); err != nil || !slices.Equal(all, []string{"1/a@1"}) {
		t.Errorf("%v, %v", all, err)
	}
	if _, _, err := read(t, b.String()[:b.Len()-20], eventlog.Options{Format: "lines"}); err == nil {
		t.Error("what is cut short was read")
	}
}

// TestFollowReadsNoFurther: an event is there once its line has ended.
func TestFollowReadsNoFurther(t *testing.T) {
	in, out := io.Pipe()
	r := eventlog.Follow(context.Background(), in, eventlog.Options{Name: "log"})
	for i := range 3 {
		go func() { _, _ = fmt.Fprintf(out, "a%d\n", i) }()
		if e, err := r.Next(); err != nil || e.Name != fmt.Sprint("a", i) || r.Line() != i+1 {
			t.Fatal(e, err)
		}
	}
}

func TestDoneContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, err := eventlog.NewReader(ctx, strings.NewReader("a\nb\n"), eventlog.Options{Name: "log"})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := r.Next(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// FuzzReader: no log makes a reader fail otherwise than by an error of one line that names the
// file; who leaves broken records out reads what is there before them; lines ascend.
func FuzzReader(f *testing.F) {
	for _, seed := range logs() {
		for format := range 6 {
			f.Add(seed, uint8(format), uint8(3))
		}
	}
	f.Fuzz(func(t *testing.T, text string, format, fields uint8) {
		defer mutation.Limited()()
		checkReading(t, text, format, fields)
	})
}

// logs are logs of all formats.
func logs() []string {
	return []string{
		"REQ\nACK\n", "{\"e\": \"a\", \"c\": 7, \"t\": 1.5}\n{\n", "c,e,t\n1,a,2026-01-02T03:04:05Z\n\"2\",b\n", "c;e\n1;\"a\"\"\n",
		`<?xml version="1.0"?><log xmlns="http://www.xes-standard.org/"><trace><string key="concept:name" value="x"/><event><string key="concept:name" value="b"/><date key="time:timestamp" value="2026-01-02T03:04:05.000+01:00"/></event></trace></log>`,
		spans(`{"traceId":"t","spanId":"1","parentSpanId":"1","name":"a","startTimeUnixNano":"1","endTimeUnixNano":"2"}`) + "\n{}\n",
	}
}

// FuzzMutants is FuzzReader for logs of all formats with tokens exchanged.
func FuzzMutants(f *testing.F) {
	words := []string{
		"{", "}", "[", "]", ",", ";", "\t", "\n", "\r", "\"", "\"\"", "\\u0000", ":", "1e400", "-1", "null", "<event>", "</event>", "<trace>", "</log>", "<!--", "&#0;", "&x;", "<![CDATA[",
		"spans", "name", "\xff", "\x00", "\ufeff",
	}
	for k := range logs() {
		f.Add([]byte("\x05\x20\x01\x06\x80\x00"), uint8(k), uint8(0), uint8(3))
	}
	f.Fuzz(func(t *testing.T, program []byte, k, format, fields uint8) {
		defer mutation.Limited()()
		all := logs()
		checkReading(t, mutation.Of(all[int(k)%len(all)], program, words), format, fields)
	})
}

func checkReading(t *testing.T, text string, format, fields uint8) {
	o := eventlog.Options{Name: "log"}
	if n := int(format) % 6; n > 0 {
		o.Format = eventlog.Format(eventlog.Formats()[n-1])
	}
	for i, to := range []*string{&o.Field, &o.CaseField, &o.TimeField} {
		if fields>>i&1 == 1 {
			*to = "ect"[i : i+1]
		}
	}
	strict, r, err := read(t, text, o)
	if err != nil && (!strings.HasPrefix(err.Error(), "log:") || strings.Contains(err.Error(), "\n") && !strings.Contains(text, "\n")) {
		t.Errorf("%q", err)
	}
	if r == nil {
		return
	}
	o.SkipBroken = true
	all, lenient, err := read(t, text, o)
	if err == nil && lenient.Broken() == 0 && !slices.Equal(all, strict) || len(all) < len(strict) && r.Format() != "otlp" {
		t.Errorf("%q, but %q if broken records are left out", strict, all)
	}
	if again, _, _ := read(t, text, o); !slices.Equal(again, all) {
		t.Errorf("%q, then %q", all, again)
	}
}
