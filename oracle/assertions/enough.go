package assertions

import (
	"errors"
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle"
)

var (
	unneeded    = regexp.MustCompile(`^No assumption is needed: it holds on every run\.$`)
	allNeeded   = regexp.MustCompile(`^(?:All are needed: (weak|strong) fairness to fewer of them is not enough|It holds on every run that is (weak|strong)ly fair to all of them, and to no fewer)\.$`)
	enough      = regexp.MustCompile("^(?:Of what was assumed, (weak|strong) fairness to|It holds on every run that is (weak|strong)ly fair to) (`.+?)(?: is enough)?(?:; likewise (.+) in (?:its|their) place)?\\.$")
	severalMore = regexp.MustCompile(`(\d+) other (?:actions|pairs|sets)`)
)

// enoughOf checks which of the tasks that runs were asked to be fair to, of one label each,
// are said to be enough.
func enoughOf(m []string, a *lts.Alphabet, tasks []oracle.FairTask, holds func(oracle.Assumption) bool) error {
	asked := holds(oracle.Assumption{Tasks: tasks})
	strong := tasks[0].Strong || !asked
	smallest := smallestTasks(a, tasks, strong, holds)
	if len(smallest) == 0 {
		return errors.New("no set is enough")
	}
	said := strings.HasPrefix(m[0], "Of ") || strings.HasPrefix(m[0], "All ") || len(m) == 1
	err := want(said == asked, "it holds under what was asked for: %t", asked)
	if len(m) == 1 {
		return errors.Join(err, want(len(smallest[0]) == 0, "needed are %v", smallest))
	}
	err = errors.Join(err, want((m[1] == "strong" || m[2] == "strong") == strong, "strong fairness is meant: %t", strong))
	size := len(smallest[0])
	if len(m) == 3 {
		return errors.Join(err, want(size == len(tasks) && size > 1, "enough are %v", smallest))
	}
	var names []string
	for _, l := range regexp.MustCompile(label).FindAllString(m[3]+" "+m[4], -1) {
		names = append(names, text(l))
	}
	hidden := 0
	if more := severalMore.FindStringSubmatch(m[4]); more != nil {
		hidden = number(more[1])
	}
	if size == 0 || len(names) != size*(len(smallest)-hidden) {
		return fmt.Errorf("enough are %v", smallest)
	}
	for i := range len(smallest) - hidden {
		err = errors.Join(err, want(slices.Equal(names[i*size:(i+1)*size], smallest[i]), "enough are %v", smallest))
	}
	return err
}

// smallestTasks returns the smallest sets of tasks that are enough, by their labels, in
// alphabetical order.
func smallestTasks(a *lts.Alphabet, tasks []oracle.FairTask, strong bool, holds func(oracle.Assumption) bool) (smallest [][]string) {
	for size := 0; size <= len(tasks) && smallest == nil; size++ {
		for set := range 1 << len(tasks) {
			if bits.OnesCount(uint(set)) != size {
				continue
			}
			var all oracle.Assumption
			texts := []string{}
			for i, task := range tasks {
				if set>>i&1 == 1 {
					task.Strong = strong
					all.Tasks = append(all.Tasks, task)
					for l := range task.Labels {
						texts = append(texts, a.Text(l))
					}
				}
			}
			if holds(all) {
				slices.Sort(texts)
				smallest = append(smallest, texts)
			}
		}
	}
	slices.SortFunc(smallest, slices.Compare)
	return smallest
}
