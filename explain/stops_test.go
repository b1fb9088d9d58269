package explain

import "testing"

// TestChoicesThatGoOnAreRecommended: of the choices that keep b from coming after a, those after which the
// model goes on are recommended, although a deadlock makes the property certain. The same is so for the
// nearest correct run.
func TestChoicesThatGoOnAreRecommended(t *testing.T) {
	for _, c := range []struct {
		name         string
		lines        []string
		recommended  string
		stops, isEnd bool
	}{
		{"another choice goes on", []string{"0 a 1", "1 b 0", "1 halt 2", "1 c 3", "3 d 1", "3 e 0"}, "c", false, false},
		{"all others stop", []string{"0 a 1", "1 b 0", "1 halt 2", "0 c 0"}, "halt", true, false},
		{"runs only end", []string{"0 a 1", "1 b 2", "1 halt 3"}, "halt", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := explained(t, c.lines, "Never(a, b)")
			d := e.Decisions[len(e.Decisions)-1]
			best := d.Recommended()
			if len(best) != 1 || best[0].Label != c.recommended || best[0].Stops != c.stops {
				t.Errorf("recommended: %+v", best)
			}
			if e.Nearest == nil || e.Nearest.Ends != c.isEnd {
				t.Errorf("nearest: %+v", e.Nearest)
			}
		})
	}
}
