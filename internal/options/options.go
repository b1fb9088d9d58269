// Package options has the table of the options of an analysis: the name of each
// in manifests and flags, the words that it accepts, and its meaning. Commands,
// manifests and the API are made from it. Each option is defined in one row of
// one table.
package options

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"sync"

	"github.com/agnivade/levenshtein"
)

// Name is the name of an option in a manifest.
type Name string

// The options.
const (
	Neighbourhood  Name = "neighbourhood"
	Unfold         Name = "unfold"
	SCC            Name = "scc"
	SearchLimit    Name = "search_limit"
	Passing        Name = "passing"
	Queue          Name = "queue"
	Pattern        Name = "pattern"
	Fair           Name = "fair"
	Blocking       Name = "blocking"
	Lanes          Name = "lanes"
	Config         Name = "cfg"
	Lenient        Name = "lenient"
	AllowUnmatched Name = "allow_unmatched"
	Parts          Name = "parts"
	HideLabels     Name = "hide_labels"
	Rename         Name = "rename"
	Cut            Name = "cut"
	FrontEnd       Name = "front_end"
	FrontEndOption Name = "front_end_option"

	// TLA names a specification. It is no row of the table: see [All].
	TLA Name = "tla"
)

// Option describes an option.
type Option struct {
	Name Name
	// Once is the former name of the option, which is still accepted.
	Once Name
	// Usage is the help of its flag. A word in backquotes is the name of the
	// flag's value.
	Usage string
	// Words are the values that the option accepts, the default first; nil if it accepts any text.
	Words []string
	// Switch reports whether the option is Boolean: its flag takes no value, and means true.
	Switch bool
	// Repeats reports whether its flag may be given several times.
	Repeats bool
}

// All returns the options. The usage of an option with words is completed by a
// list of them.
func All() []Option {
	return []Option{
		{
			Name:  Neighbourhood,
			Words: []string{"all", "some"},
			Usage: "`WHICH` transitions into a neighbourhood must be neutral: ",
		},
		{
			Name:   Unfold,
			Words:  []string{"false", "true"},
			Switch: true,
			Usage:  "split states by the progress made on the way, as 67·1",
		},
		{
			Name:  SCC,
			Words: []string{"auto", "gonum", "iterative"},
			Usage: "find strongly connected components by `ENGINE`: ",
		},
		{Name: SearchLimit, Usage: "take the best run found in `N` visits to states, such as 50M"},
		{
			Name:  Passing,
			Once:  "decisions",
			Words: []string{"any", "fewest", "most"},
			Usage: "take a shortest run passing `MANY` neighbourhoods: ",
		},
		{
			Name:  Queue,
			Words: []string{"auto", "buckets", "heap"},
			Usage: "order states for common prefixes and suffixes by `QUEUE` (heap is that of Algorithms 1 and 2 of SEFM 2018): ",
		},
		{Name: Pattern, Usage: "take a shortest run with `ACTIONS` such as 'A, B', in order"},
		{
			Name:    Fair,
			Repeats: true,
			Usage:   "consider only runs that meet `ASSUMPTION`: full, weak, strong, weak:A, just, finitely:B, WF_v(A); repeatable",
		},
		{Name: Blocking, Usage: "with --fair just, the environment may refuse labels that match `PATTERNS` forever"},
		{
			Name:  Lanes,
			Usage: "with --fair just, the components that actions need: `LANES` is a /regexp/ that captures one or two, or a .tsv of LABEL, FROM, TO",
		},
		{Name: Config, Usage: "read the configuration of TLC from `FILE`, not from the file named like the .tla file"},
		{Name: Lenient, Switch: true, Usage: "only warn if the header does not fit the model"},
		{
			Name:   AllowUnmatched,
			Switch: true,
			Usage:  "only warn if a step matches no label of the model",
		},
		{
			Name:   Parts,
			Switch: true,
			Usage:  "let an action match a multi-action of mCRL2 that it is a part of: a matches a|b(1)",
		},
		{Name: HideLabels, Usage: "make labels internal: `RULES` are FILE.hid of CADP or PATTERNS"},
		{Name: Rename, Usage: "rename labels: `RULES` are FILE.ren or 'OLD -> NEW, ...'"},
		{Name: Cut, Usage: "remove transitions: `RULES` are FILE.cut or PATTERNS"},
		{
			Name:  FrontEnd,
			Words: []string{"inev", "cadp"},
			Usage: "networks (.exp) are composed by `WHO`: ",
		},
		{
			Name:    FrontEndOption,
			Repeats: true,
			Usage:   "give `OPTION`, such as -root, to what makes the model; repeatable",
		},
	}
}

// Option returns the option with this name.
func (n Name) Option() Option {
	for _, o := range All() {
		if o.Name == n {
			return o
		}
	}
	return Option{Name: n}
}

// Today returns the current name of the option with this former name, otherwise
// the name itself.
func Today(name string) string {
	for _, o := range All() {
		if name != "" && string(o.Once) == name {
			return string(o.Name)
		}
	}
	return name
}

// Flag returns the name of the option's flag, without dashes in front.
func (n Name) Flag() string { return strings.ReplaceAll(string(n), "_", "-") }

// Nearest returns the name that differs least from the written one, if the difference can be a
// slip: one letter, or two in a longer word (such as two exchanged letters).
func Nearest(written string, names []string) (best string, found bool) {
	least := 2
	if len(written) > 3 {
		least = 3
	}
	for _, name := range names {
		d := levenshtein.ComputeDistance(written, name)
		if d < min(least, len(written)) {
			best = name
			least = d
			found = true
		}
	}
	return best, found
}

// number matches a number with its exponent, and the letter after it.
var number = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d+(?:_\d+)*(?:\.\d+)?(?:[eE]\+?0*\d{1,2})?)([kKMG]?)$`)
})

// Count reads a whole number as people write large ones: 10000000, 10_000_000, 10M, 1e7, 1.5e6 or 2.5k,
// where the letters k, M and G mean a thousand, a million and a thousand million.
// It fails if the number is not whole or above 2^63-1.
func Count(text string) (int64, error) {
	parts := number().FindStringSubmatch(text)
	if parts != nil {
		n, _ := new(big.Rat).SetString(strings.ReplaceAll(parts[1], "_", ""))
		n.Mul(n,
			big.NewRat(map[string]int64{
				"":  1,
				"k": 1e3,
				"K": 1e3,
				"M": 1e6,
				"G": 1e9,
			}[parts[2]], 1))
		if n.IsInt() && n.Num().IsInt64() {
			return n.Num().Int64(), nil
		}
	}
	return 0, fmt.Errorf("%q is not a whole number such as 1000, 10_000, 10k, 1e6 or 2.5M",
		text)
}
