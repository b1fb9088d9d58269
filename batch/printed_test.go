package batch_test

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/batch"
)

// TestPrintedNumbersAreReadBack: what programmers print has the numbers of a bound and of a progress, and no addresses.
func TestPrintedNumbersAreReadBack(t *testing.T) {
	number := regexp.MustCompile(`\d+`)
	rapid.Check(t, func(t *rapid.T) {
		b := batch.Bound{Step: rapid.IntRange(1, 9).Draw(t, "step"), Least: rapid.IntRange(0, 3).Draw(t, "least")}
		want := []int{b.Step, b.Least}
		isBounded := rapid.Bool().Draw(t, "bounded")
		if isBounded {
			most := b.Least + rapid.IntRange(0, 3).Draw(t, "more")
			b.Most = &most
			if most > b.Least {
				want = append(want, most)
			}
		}
		printed := fmt.Sprint(b)
		if got := numbersIn(number, printed); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q has the numbers %v, want %v", printed, got, want)
		}
		if hasNone := regexp.MustCompile("without a bound$").MatchString(printed); hasNone == isBounded {
			t.Fatalf("bounded %t: %q", isBounded, printed)
		}
		p := batch.Progress{Done: rapid.IntRange(0, 9).Draw(t, "done"), Total: rapid.IntRange(9, 20).Draw(t, "total")}
		p.Result.Job.Name = "job"
		p.Result.Status = batch.Satisfied
		if got, want := fmt.Sprint(p), fmt.Sprintf("%d of %d: job: satisfied", p.Done, p.Total); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	})
}

func numbersIn(number *regexp.Regexp, text string) []int {
	var all []int
	for _, found := range number.FindAllString(text, -1) {
		n, err := strconv.Atoi(found)
		if err != nil {
			panic(err) // it has digits only
		}
		all = append(all, n)
	}
	return all
}
