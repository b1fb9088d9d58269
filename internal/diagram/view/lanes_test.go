package view_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/diagram/view"
)

func TestParseLanes(t *testing.T) {
	for _, c := range []struct{ pattern, label, from, to string }{
		{`/^(\w+)_/`, "CLIENT_ASKS", "CLIENT", "CLIENT"},
		{`/^send\((\d),(\d)\)$/`, "send(1,2)", "1", "2"},
		{`/^\w+ !(\d)(?: !(\d))?/`, "GO !1", "1", "1"},
		{`/^\w+ !(\d)(?: !(\d))?/`, "GO !1 !2", "1", "2"},
		{`/(a)?(b)/`, "b", "b", "b"},
		{`/(a)?/`, "x", "", ""},
		{`/^(a)/`, "x", "", ""},
	} {
		lanes, err := view.ParseLanes(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		r, in := lanes.Of(c.label)
		if r.From != c.from || in && r.To != c.to || in != (c.from != "") {
			t.Errorf("%s of %q: %+v, %v", c.pattern, c.label, r, in)
		}
	}
	for pattern, want := range map[string]string{
		`/x/`:         "no capture",
		`/(a)(b)(c)/`: "3 captures",
		`/(/`:         "missing closing )",
		`//`:          "is not a /regular expression/",
		`x`:           "is not a /regular expression/",
	} {
		if _, err := view.ParseLanes(pattern); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", pattern, err, want)
		}
	}
}

// TestLanesOfMultiActions: a multi-action is in the lane of its parts if all of them are in the same one.
func TestLanesOfMultiActions(t *testing.T) {
	lanes, _ := view.GuessLanes([]string{"enter(0)", "enter(1)", "leave(0)", "wish(0)|set(0, true)"})
	for label, want := range map[string]string{
		"wish(0)|set(0, true)": "argument 0", "set(1, true)|wish(1)": "argument 1", "send(0)|receive(1)": "", "enter(0)|tick": "", "enter(1)": "argument 1",
	} {
		r, in := lanes.Of(label)
		owner, owned := lanes.Owner(label)
		if r.From != want || r.To != want || in != (want != "") || owner != want || owned != in {
			t.Errorf("%s: %+v, %t; owner %q, %t", label, r, in, owner, owned)
		}
	}
}

// TestProcessLanes: the lanes are the processes that a function names, if there are at least two.
func TestProcessLanes(t *testing.T) {
	processOf := func(label string) string {
		return map[string]string{`put("c1")`: `"c1"`, "get(2)": "2", "tick": "Clock"}[label]
	}
	lanes := view.ProcessLanes([]string{`put("c1")`, "get(2)", "tick", "Init"}, processOf)
	for label, want := range map[string]string{`put("c1")`: "c1", "get(2)": "2", "tick": "Clock", "Init": ""} {
		r, in := lanes.Of(label)
		owner, owned := lanes.Owner(label)
		if r.From != want || r.To != want || in != (want != "") || owner != want || owned != in {
			t.Errorf("%s: %+v, %v; owner %q, %v", label, r, in, owner, owned)
		}
	}
	if got := lanes.Owners([]string{"tick", "get(2)", "Init"}); !slices.Equal(got, []string{"Clock", "2"}) {
		t.Errorf("owners %q", got)
	}
	if view.ProcessLanes([]string{"tick", "Init"}, processOf) != nil {
		t.Error("one process has lanes")
	}
}

func readLanes(t *testing.T, text string) *view.Lanes {
	t.Helper()
	lanes, err := view.ReadLanes(context.Background(), strings.NewReader(text), "lanes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	return lanes
}

func TestReadLanes(t *testing.T) {
	lanes := readLanes(t, "\ufeff# who\r\nREQ\tclient\tserver\tGOT\r\n\nPUT !1\tserver\nPUT\tclient\ntab\\there\\\\\ta b \t\n")
	for label, want := range map[string]view.Route{
		"REQ":          {From: "client", To: "server", Receipt: "GOT"},
		"REQ !7":       {From: "client", To: "server", Receipt: "GOT"},
		"PUT !1":       {From: "server", To: "server"},
		"PUT !2":       {From: "client", To: "client"},
		"tab\there\\":  {From: "a b", To: "a b"},
		"GOT":          {},
		"PUTT":         {},
		"PUT(1)|REQ()": {},
	} {
		if r, in := lanes.Of(label); r != want || in != (want.From != "") {
			t.Errorf("%q: %+v, want %+v", label, r, want)
		}
	}
	if got, want := lanes.Unmatched([]string{"REQ", "GOT"}), `lanes.tsv:4: no label of the model is "PUT !1", nor any of 2 further lines of this file`; got != want {
		t.Errorf("unmatched: %q, want %q", got, want)
	}
	if got, want := lanes.Unmatched([]string{"REQ", "PUT !1", "PUT !2", "tab\there\\"}), `lanes.tsv:2: "GOT", which this line gives as the receipt of its message, is no label or gate of the model`; got != want {
		t.Errorf("unmatched: %q, want %q", got, want)
	}
	if got := lanes.Unmatched([]string{"REQ", "PUT !1", "PUT !2", "tab\there\\", "GOT !1"}); got != "" {
		t.Errorf("unmatched: %q", got)
	}
}

func TestReadLanesRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "lanes.tsv: there is no lane in this file",
		"# nothing":                           "lanes.tsv: there is no lane in this file",
		"\nREQ":                               "lanes.tsv:2: found 1 cell; a line is LABEL",
		"REQ\ta\tb\tc\td":                     "lanes.tsv:1: found 5 cells",
		"REQ\t \tb":                           `lanes.tsv:1: the lane of "REQ" is empty`,
		"REQ\ta\nREQ\tb":                      `lanes.tsv:2: "REQ" stands in line 1 already`,
		"REQ\ta\tb\tREQ":                      `lanes.tsv:1: "REQ" cannot be its own receipt`,
		"REQ\ta\ta\tGOT":                      `lanes.tsv:1: "REQ" has the receipt "GOT", but goes to no other lane`,
		"REQ\ta\tb\tGOT\nGOT\tb\ta\tAGAIN":    `lanes.tsv:1: "GOT" receives a message, and by another line sends one`,
		"A\tb\n" + strings.Repeat("x", 2<<20): "lanes.tsv: line 2 is longer than",
	} {
		_, err := view.ReadLanes(context.Background(), strings.NewReader(text), "lanes.tsv")
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := view.ReadLanes(ctx, strings.NewReader("A\tb\n"), "x"); err != context.Canceled {
		t.Error(err)
	}
}

// TestReadLanesTakesAnything: a file is read, or refused in one line.
func TestReadLanesTakesAnything(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab\t\n\\#t \xff\r!1("))).Draw(rt, "text")
		lanes, err := view.ReadLanes(context.Background(), strings.NewReader(text), "l")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "l:") || strings.Contains(err.Error(), "\n") {
				rt.Fatalf("%q", err)
			}
			return
		}
		if r, in := lanes.Of("a"); in && (r.From == "" || r.To == "") {
			rt.Fatalf("%+v", r)
		}
	})
}

func TestOfferLanes(t *testing.T) {
	for _, c := range []struct {
		labels string
		want   string
	}{
		{"REQ_EM REQ_REC OK_EM OK_REC", "pairs such as REQ_EM and REQ_REC"},
		{"try(1,x) try(2,x) done(1)", `'/^\w+\((\d+)\b[^|]*$/' would make 2 lanes`},
		{"try(1) done a b", ""},
		{"take(left,x) take(right) put(left)", `'/^\w+\(([A-Za-z]\w*)\b[^|]*$/' would make 2 lanes`},
		{"get(true) get(false) set(true)", ""},
		{"take(1)|put(2) take(2)|put(1)", ""},
		{"try(1)|wish(1) try(2)|wish(2) done(1) done(2) go(1)", `'/^\w+\((\d+)\b[^|]*$/' would make 2 lanes`},
		{"lock(0) write(flag(0),x) write(flag(1),x) read(deferred(1,0))", `(?:\w+\()?(\d+)\b[^|]*$/' would make 2 lanes`},
		{"label(a) label(b) label(c) label(d) label(e)", ""},
		{"a_1 a_2 b_1 b_2", `would make 2 lanes`},
		{"read_x write_x read_y go stop", ""},
		{"PUT GET", ""},
		{"_EM _REC", ""},
		{"", ""},
	} {
		got, table := view.OfferLanes(strings.Fields(c.labels))
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.labels, got, c.want)
		}
		// What is proposed is read back.
		if lanes, err := view.ReadLanes(context.Background(), strings.NewReader(table), "auto"); table != "" && (err != nil || lanes.Unmatched(strings.Fields(c.labels)) != "") {
			t.Errorf("%s: %q: %v", c.labels, table, err)
		} else if (table == "") != (c.want == "") {
			t.Errorf("%s: %q", c.labels, table)
		}
	}
	if got, table := view.OfferLanes([]string{"ENTER !0", "ENTER !1"}); !strings.Contains(table, "\nENTER !0\toffer 0\nENTER !1\toffer 1\n") || !strings.Contains(got, `!(\d+)\b/' would make 2 lanes`) {
		t.Error(got)
	}
}
