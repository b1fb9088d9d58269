package batch

import (
	"context"
	"reflect"
	"strings"
	"testing"
)

// TestEveryOptionIsInTheTable: what results call an option, manifests and flags do, too, and the
// analysis hears of what concerns it.
func TestEveryOptionIsInTheTable(t *testing.T) {
	known := map[string]bool{"faults": true} // a field with a syntax of its own
	for _, p := range allOptions() {
		known[string(p.name)] = true
	}
	of := reflect.TypeFor[Options]()
	for i := range of.NumField() {
		if name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); !known[name] {
			t.Errorf("no option %q", name)
		}
	}
	if len(known) != of.NumField() {
		t.Errorf("%d options, %d fields", len(known), of.NumField())
	}
	all := Options{
		Neighbourhood: "some", Unfold: true, SCC: "gonum", SearchLimit: 7, Passing: "most",
		Pattern: "A", Lenient: true, Fair: []string{"just", "finitely:B"}, Blocking: "C", Lanes: "/(.)/", AllowUnmatched: true, Parts: true, Config: "a.cfg",
	}
	want := "--neighbourhood some --scc gonum --search-limit 7 --passing most --pattern A --fair just --fair finitely:B --blocking C --lanes /(.)/ --cfg a.cfg --unfold --lenient --allow-unmatched --parts"
	if got := strings.Join(all.Flags(), " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	o, err := all.forExplanation(context.Background())
	if err != nil || !o.Unfold || o.Limit != 7 || len(o.Fair) != 3 || o.Search.Pattern == nil {
		t.Errorf("%+v, error %v", o, err)
	}
	o, err = Options{}.forExplanation(context.Background())
	if err != nil || !reflect.ValueOf(o).IsZero() {
		t.Errorf("%+v, error %v", o, err)
	}
	if _, err := (Options{SCC: "none"}).forExplanation(context.Background()); err == nil {
		t.Error("an unknown engine is taken")
	}
}
