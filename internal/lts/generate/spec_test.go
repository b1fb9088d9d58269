package generate_test

import (
	"context"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/lts/generate"
)

func TestSpecsThatAreRefused(t *testing.T) {
	for _, c := range []struct {
		spec generate.Spec
		want string
	}{
		{generate.Spec{}, `generate: unknown kind ""; there are random, layered, scc, `},
		{generate.Spec{Kind: "rundom"}, `generate: unknown kind "rundom"; there are random, `},
		{generate.Spec{Kind: "chain", Degree: 2}, "generate: chain: has no degree; it has states, labels"},
		{generate.Spec{Kind: "chain", Wrap: true}, "generate: chain: has no wrap; it has states, labels"},
		{generate.Spec{Kind: "grid", Asymmetric: true}, "generate: grid: has no asymmetric; it has width, height, wrap"},
		{generate.Spec{Kind: "chain", States: 1}, "generate: chain: states: 1 is not from 2 to 4294967295"},
		{generate.Spec{Kind: "random", Degree: -1}, "generate: random: degree: -1 is not from 1 to 65536"},
		{generate.Spec{Kind: "peterson", Processes: 6}, "generate: peterson: processes: 6 is not from 2 to 5"},
		{generate.Spec{Kind: "grid", Width: 1 << 20, Height: 1 << 20}, "generate: grid: width 1048576 and height 1048576 make more than 4294967295 states; ask for a smaller model"},
		{generate.Spec{Kind: "stages", Width: 1 << 30, Height: 1 << 20}, "generate: stages: width 1073741824 and height 1048576 make more than 4294967295 states; ask for a smaller model"},
		{generate.Spec{Kind: "layered", Width: math.MaxUint32, Height: 1}, "generate: layered: that would be more than 4294967295 states; ask for a smaller model"},
		{generate.Spec{Kind: "random", States: 1 << 31, Degree: 1 << 15}, "generate: random: that would be more than 1099511627776 transitions; ask for a smaller model"},
	} {
		var out strings.Builder
		err := generate.Write(context.Background(), &out, c.spec)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || out.Len() > 0 {
			t.Errorf("%+v: error %v, want %s", c.spec, err, c.want)
		}
		if _, _, err := c.spec.Size(context.Background()); err == nil {
			t.Errorf("%+v: it has a size", c.spec)
		}
		if _, err := generate.LTS(context.Background(), c.spec); err == nil {
			t.Errorf("%+v: there is an LTS", c.spec)
		}
	}
	if _, err := (generate.Spec{Kind: "grid", Width: -1}).Formula(); err == nil {
		t.Error("a grid of width -1 has a formula")
	}
}

func TestSet(t *testing.T) {
	s := generate.Spec{Kind: "grid"}
	for _, c := range []struct{ name, value, want string }{
		{"width", "1k", ""}, {"height", "2_0", ""}, {"wrap", "true", ""}, {"seed", "18446744073709551615", ""}, {"shuffle", "true", ""},
		{"degree", "3", "a model of kind grid has no degree; it has width, height, wrap"},
		{"width", "0", "0 is not from 1 to 4294967295"},
		{"width", "many", `"many" is not a whole number such as 1000, 10_000, 10k, 1e6 or 2.5M`},
		{"wrap", "maybe", `"maybe" is neither true nor false`},
		{"shuffle", "maybe", `"maybe" is neither true nor false`},
		{"seed", "-1", `"-1" is not a number from 0 to 18446744073709551615`},
	} {
		err := s.Set(c.name, c.value)
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%s %s: error %v, want %q", c.name, c.value, err, c.want)
		}
	}
	if want := (generate.Spec{Kind: "grid", Width: 1000, Height: 20, Wrap: true, Seed: math.MaxUint64, Shuffle: true}); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
	if err := (&generate.Spec{}).Set("states", "3"); err == nil {
		t.Error("no error where there is no kind")
	}
}

// TestKindsSayWhatTheyAre: every parameter can be set to its default, with the
// same result, and nothing is left to be guessed.
func TestKindsSayWhatTheyAre(t *testing.T) {
	for _, k := range generate.Kinds() {
		if k.Name == "" || k.Summary == "" || k.States == "" || k.Transitions == "" || k.Labels == "" || k.Interest == "" || len(k.Parameters) == 0 {
			t.Errorf("incomplete: %+v", k)
		}
		if found, is := generate.KindOf(k.Name); !is || found.Name != k.Name {
			t.Errorf("%s is not found", k.Name)
		}
		s := generate.Spec{Kind: k.Name}
		formula, err := s.Formula()
		if err != nil || formula != k.Formula {
			t.Errorf("%s: formula %s (%v), want %s", k.Name, formula, err, k.Formula)
		}
		if _, err := actl.Parse(context.Background(), formula); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
		for _, p := range k.Parameters {
			if err := generate.Write(context.Background(), io.Discard, s); err != nil {
				t.Errorf("%s: %v", k.Name, err)
			}
			if p.Switch || p.Default == 0 {
				continue
			}
			if p.Min < 1 || p.Default < p.Min || p.Default > p.Max {
				t.Errorf("%s: %+v", k.Name, p)
			}
		}
	}
}
