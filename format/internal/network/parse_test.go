package network

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/lts"
)

// openLoop opens components with one state that do a and b.
func openLoop(ctx context.Context, _ string) (*lts.LTS, error) {
	m, _, err := aut.Read(ctx, strings.NewReader("des (0, 2, 1)\n(0, \"a\", 0)\n(0, \"b !1\", 0)\n"), aut.Options{})
	return m, err
}

// TestErrorsNameThePlace checks what is said of networks that are wrong: one line, with the place.
func TestErrorsNameThePlace(t *testing.T) {
	for text, want := range map[string]string{
		"par a in c ||":                                "n.exp:1: expected a behaviour: the name of a file, an operator, or parentheses, found the end of the file (column 14)",
		"par a#x in c || d end par":                    "n.exp:1: expected a number, found x (column 7)",
		"par a#99999999999999999999 in c || d end par": "n.exp:1: 99999999999999999999 is more than the 4096 behaviours that a network may have (column 7)",
		"par b, a#2,\n a#4097 -> c || d end par":       "n.exp:2: 4097 is more than the 4096 behaviours that a network may have (column 4)",
		"par a#0 in c || d end par":                    "n.exp:1: a#0: no behaviour would take the step; at least one has to, as in a#1 (column 5)",
		"par b,\n a #0 -> c || d end par":              "n.exp:2: a#0: no behaviour would take the step; at least one has to, as in a#1 (column 2)",
		"par\n\"b !1\" in c || d end par":              "n.exp:2: b !1 has offers, but only gates are compared here; write the gate b, or label par for whole labels (column 1)",
		"par i in c || d end par":                      "n.exp:1: i is the hidden label, on which nobody joins; leave it out (column 5)",
		"par exit in c || d end par":                   "n.exp:1: exit is the termination, on which all behaviours join; leave it out (column 5)",
		"par using a * a -> a in c end par":            "n.exp:1: the vector has 2 places for 1 behaviours; write _ for a behaviour that does not take part (column 11)",
		"par using _ * _ -> a in c || d end par":       "n.exp:1: nobody takes part in this vector; name a gate in one of its places (column 11)",
		"par a * a -> a in c || d end par":             "n.exp:1: expected using before synchronisation vectors, as in par using PUT * _ * PUT -> PUT in, found a (column 5)",
		"par _ || a -> a in c || d end par":            "n.exp:1: expected using before synchronisation vectors, as in par using PUT * _ * PUT -> PUT in, found _ (column 5)",
		"behaviour c end behavior":                     "n.exp:1: expected behaviour, found behavior (column 17)",
		"c end behaviour":                              "n.exp:1: expected an operator or the end of the network, found end (column 3)",
		"label hide a in c":                            "n.exp:1: label cannot be used with hide; leave it out, or write total, gate or partial (column 1)",
		"partial rename a -> b in c end rename":        "n.exp:1: partial cannot be used with rename; leave it out, or write total, gate, single or multiple (column 1)",
		"total par a in c || d end par":                "n.exp:1: total cannot be used with par; leave it out, or write gate or label (column 1)",
		"gate c":                                       "n.exp:1: expected hide, rename, cut, prio or par, found c (column 6)",
		"prio a in c end prio":                         "n.exp:1: expected > and the labels with less priority, found in (column 8)",
		"prio a > b b > a in c end prio":               "n.exp:1: a has priority over itself by these rules; leave one of them out (column 1)",
		"hide \"a[\" in c":                             "n.exp:1: a[: a class [ is never closed; write ], or \\[ for the character (column 1)",
		"c (* and so on":                               "n.exp:1: the comment (* is never closed; write *) (column 3)",
		"hide \"a in c":                                "n.exp:1: the quote is never closed on its line (column 6)",
		"c.bcg":                                        "n.exp:1: c.bcg: inev composes .aut, .lts, .fsm and the like; convert it by bcg_io c.bcg c.aut, and name that (column 1)",
		"c d":                                          "n.exp:1: expected an operator or the end of the network, found d (column 3)",
	} {
		_, _, err := Compose(context.Background(), []byte(text), Options{Name: "n.exp", Open: openLoop, Workers: 1})
		if err == nil || err.Error() != want {
			t.Errorf("%q:\n%v, want\n%s", text, err, want)
		}
	}
}

// TestUnclosedInclude: an operator that an included file does not close is named where it begins, and no end of the file
// that includes it closes it; the end of hide may be left out in both.
func TestUnclosedInclude(t *testing.T) {
	for inner, want := range map[string]string{
		"\n  rename a -> b in c": "inner.exp:2: rename is not closed in this file; write end rename (column 3)",
		"par a in c || d":        "inner.exp:1: par is not closed in this file; write end par (column 1)",
		"cut a in c":             "inner.exp:1: cut is not closed in this file; write end cut (column 1)",
		"hide a in c":            "",
		"hide a in c end hide":   "",
	} {
		read := func(context.Context, string) ([]byte, error) { return []byte(inner), nil }
		_, _, err := Compose(context.Background(), []byte("hide b in cut e in inner.exp end cut end hide"), Options{Name: "n.exp", Open: openLoop, Read: read, Workers: 1})
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%q: %v, want %s", inner, err, want)
		}
	}
}

// TestIncludedOperators: an included file with an infix operator needs parentheses in a par, and the error says so.
func TestIncludedOperators(t *testing.T) {
	read := func(context.Context, string) ([]byte, error) { return []byte("c |[a]| d"), nil }
	for text, want := range map[string]string{
		"par inner.exp || d end par":   "inner.exp:1: expected || or end par (the text of inner.exp stands in the place of its name and has an infix operator: write the name in parentheses), found | (column 3)",
		"par (inner.exp) || d end par": "",
		"inner.exp ||| d":              "",
	} {
		_, _, err := Compose(context.Background(), []byte(text), Options{Name: "n.exp", Open: openLoop, Read: read, Workers: 1})
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestInterfacesAreOptional: a behaviour of par that begins like an interface is none.
func TestInterfacesAreOptional(t *testing.T) {
	for text, transitions := range map[string]int{
		"par c || d end par":                                    4,
		"par a in c || d end par":                               3,
		"par a -> c || a -> d end par":                          3,
		"par -> c || -> d end par":                              4,
		"par in c || d end par":                                 4,
		"par a in (c) || hide a in d end par":                   3,
		"elotos behaviour par c || d end par end behaviour":     4,
		"behavior par A in c || d end par\nend behavior -- all": 4,
	} {
		m, _, err := Compose(context.Background(), []byte(text), Options{Name: "n.exp", Open: openLoop, Workers: 1})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if n := m.LTS.NumTransitions(); n != transitions {
			t.Errorf("%s: %d transitions, want %d", text, n, transitions)
		}
	}
}

// TestHiddenLabelIsInternal: whatever a reference language writes for the hidden label, the model has an internal action.
func TestHiddenLabelIsInternal(t *testing.T) {
	for _, test := range []struct {
		settings Settings
		text     string
		want     []string
		warning  string
	}{
		{settings: Settings{Language: CCS}, text: "hide a in c end hide", want: []string{"i", "b !1"}},
		{settings: Settings{Language: MCRL}, text: "hide a in c end hide", want: []string{"tau", "b !1"}},
		{settings: Settings{Hidden: "a"}, text: "c", want: []string{"i", "b !1"}},
		{
			settings: Settings{Hidden: "a"},
			text:     "total rename \"b !1\" -> i in c end rename",
			want:     []string{"i"},
			warning:  "n.exp: the hidden label of this network is a, but i is an ordinary one, on which behaviours may join; in the model both are i, an internal action",
		},
	} {
		test.settings.CaseSensitive = true
		o := Options{Name: "n.exp", Open: openLoop, Workers: 1, Language: test.settings}
		m, warnings, err := Compose(context.Background(), []byte(test.text), o)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		var have []string
		for _, text := range m.LTS.Alphabet().All() {
			have = append(have, text)
		}
		if !slices.Equal(have, test.want) || strings.Join(warnings, "\n") != test.warning {
			t.Errorf("%s: labels %q, warnings %q, want %q, %q", test.text, have, warnings, test.want, test.warning)
		}
	}
}

// TestOperatorsThatChangeNothing: hide, rename and cut are warned of if they match no label; operators of reference
// languages, and what changes some label, are not.
func TestOperatorsThatChangeNothing(t *testing.T) {
	for text, want := range map[string]string{
		"hide b in c end hide":                       "",
		"hide x in c end hide":                       "n.exp:1: hide changes no label of its behaviour; without total, partial or multiple before it, its patterns match gates (column 1)",
		"rename \"b !\\(.\\)\" -> x in c end rename": "n.exp:1: rename changes no label of its behaviour; without total, partial or multiple before it, its patterns match gates (column 1)",
		"total rename \"b !1\" -> x in c end rename": "",
		"cut x in c end cut":                         "n.exp:1: cut changes no label of its behaviour; without total, partial or multiple before it, its patterns match gates (column 1)",
		"cut b in c end cut":                         "",
	} {
		o := Options{Name: "n.exp", Open: openLoop, Workers: 1, Language: Settings{CaseSensitive: true}}
		_, warnings, err := Compose(context.Background(), []byte(text), o)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := strings.Join(warnings, "\n"); got != want {
			t.Errorf("%s: warnings %q, want %q", text, got, want)
		}
	}
}
