package render_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle/assertions"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/neighbourhood"
)

// ownersOf returns two, three or four owners of the labels of random models; of three, those that
// begin with D are nobody's.
func ownersOf(seed uint64) *explain.Owners {
	o := &explain.Owners{Names: []string{"p", "q", "r"}, Shares: true, Components: components}
	switch {
	case seed%3 == 0:
		o.Names = []string{"p", "q"}
	case seed%2 == 0:
		o.Names = append(o.Names, "s")
	}
	o.Of = func(label string) (string, bool) {
		i := strings.IndexByte("ABCD", label[0])
		if len(o.Names) == 2 && i >= 0 {
			i %= 2
		}
		if i < 0 || i >= len(o.Names) {
			return "", false
		}
		return o.Names[i], true
	}
	return o
}

// readOwned explains a case with owners, and checks what the report says.
func readOwned(seed uint64, c randomlts.Case, understood map[string]int) error {
	owners := ownersOf(seed)
	if seed%7 == 5 {
		owners.Names = []string{"1", "2", "3", "4"}[:len(owners.Names)]
	}
	e, err := explained(c, explain.Options{Source: explain.Source{File: "m.aut"}, Owners: owners})
	if err != nil {
		return err
	}
	s := subject(c, e, neighbourhood.All)
	s.Owners, s.Just = owners.Names, justOf(c.Model.Alphabet(), nil).Just
	s.Owner = func(label string) string {
		owner, _ := owners.Of(label)
		return owner
	}
	checker, err := assertions.New(s)
	if err != nil {
		return err
	}
	check := func(sentence string) error {
		// A number is said to be a lane, and not to be taken for a count.
		sentence = severalLanes.ReplaceAllStringFunc(sentence, func(lanes string) string {
			return strings.ReplaceAll(strings.TrimPrefix(lanes, "lanes"), " `", " lane `")[1:]
		})
		sentence = strings.ReplaceAll(sentence, "lane `", "`lane ")
		if bare := regexp.MustCompile("`[1-4]`").FindString(sentence); bare != "" {
			return fmt.Errorf("%q: %s is not a number", sentence, bare)
		}
		return checker.Sentence(strings.ReplaceAll(sentence, "`lane ", "`"))
	}
	_, said, err := sentencesOf(e, check)
	if err != nil {
		return err
	}
	for _, sentence := range said {
		if err := check(sentence); err != nil {
			return err
		}
	}
	for form, n := range checker.Understood {
		understood[form] += n
	}
	return checker.WhenComplete()
}

// severalLanes is a list of at least two lanes that are numbers.
var severalLanes = regexp.MustCompile("lanes( `[1-4]`(?:,| and| or)?)+( `[1-4]`)")

// ofOwners are the forms of sentences that need owners of transitions.
var ofOwners = []string{"nobody can", "only together", "supervised", "each alone", "some alone", "any of these", "shares", "owned", "justness", "inactive"}

// TestSentencesAboutOwners reads back who is said to decide, who could have prevented a violation,
// and when justness would: by all supervisors of all sets of owners, and all sets of states where a run
// could stay.
func TestSentencesAboutOwners(t *testing.T) {
	understood := map[string]int{}
	for seed := range randomlts.Share(6_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 9, Labels: 4, Steps: 2})
		if err := readOwned(seed, c, understood); err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
	}
	t.Log(understood)
	for _, form := range ofOwners {
		if randomlts.Whole() && understood[form] < 5 {
			t.Errorf("the form %q was met %d times: nothing is known of it", form, understood[form])
		}
	}
}

// TestSentencesAboutOwnersOfTables does the same for properties without steps.
func TestSentencesAboutOwnersOfTables(t *testing.T) {
	understood := map[string]int{}
	for seed := range randomlts.Share(1_500) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 4, Transitions: 8, Labels: 4, Steps: 1})
		owners := ownersOf(seed)
		owners.Components = nil
		text := tables[seed%uint64(len(tables))]
		o := explain.Options{Source: explain.Source{File: "m.aut"}, Owners: owners}
		if err := readTableOf(c.Model, text, "", o, understood); err != nil {
			t.Fatalf("seed %d, %s:\n%s\n%v", seed, text, c, err)
		}
	}
	t.Log(understood)
	for _, form := range []string{"nobody can", "only together", "supervised", "each alone", "some alone", "shares", "owned"} {
		if randomlts.Whole() && understood[form] < 5 {
			t.Errorf("the form %q was met %d times: nothing is known of it", form, understood[form])
		}
	}
}

// TestPreventionSatisfiesTheSchema: who forbids what, and what stands in the way, are in JSON as the schema says.
func TestPreventionSatisfiesTheSchema(t *testing.T) {
	schema := compiledSchema(t)
	supervised, stand := 0, 0
	for seed := range uint64(60) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 9, Labels: 4, Steps: 2})
		e, err := explained(c, explain.Options{Source: explain.Source{File: "m.aut"}, Owners: ownersOf(seed)})
		if err != nil {
			t.Fatal(err)
		}
		asJSON(t, schema, e)
		if p := e.Prevention; p != nil && p.Supervisor != nil && p.Supervisor.Solvable {
			supervised++
		} else if p != nil && p.Supervisor != nil {
			stand++
		}
	}
	if supervised == 0 || stand == 0 {
		t.Errorf("%d supervisors, %d obstacles: nothing is known of them", supervised, stand)
	}
}
