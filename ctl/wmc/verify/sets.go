package verify

import (
	"encoding/json"
	"errors"

	"github.com/inev-lts/inev/lts"
)

// set is a set of states, as ascending intervals, so that it takes no more memory than its text.
type set [][2]lts.State

var errSet = errors.New("a set of states is a list of ascending numbers and of pairs of them")

// UnmarshalJSON reads numbers and pairs.
func (s *set) UnmarshalJSON(data []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return errSet
	}
	*s = make(set, 0, len(parts))
	for _, part := range parts {
		var row [2]lts.State
		if part[0] == '[' {
			var pair []lts.State
			if err := json.Unmarshal(part, &pair); err != nil || len(pair) != 2 || pair[0] >= pair[1] {
				return errSet
			}
			row = [2]lts.State(pair)
		} else {
			if err := json.Unmarshal(part, &row[0]); err != nil || part[0] == 'n' {
				return errSet
			}
			row[1] = row[0]
		}
		if n := len(*s); n > 0 && row[0] <= (*s)[n-1][1] {
			return errSet
		}
		*s = append(*s, row)
	}
	return nil
}

// each yields the states.
func (s set) each(yield func(lts.State) bool) {
	for _, row := range s {
		for state := row[0]; ; state++ {
			if !yield(state) {
				return
			}
			if state == row[1] {
				break
			}
		}
	}
}

// within fails if some state is not less than the number of states of the model; about is what the
// error begins with.
func (s set) within(states int, about string) {
	if n := len(s); n > 0 && int64(s[n-1][1]) >= int64(states) {
		fail("%snames state %d, and the model has %d states", about, s[n-1][1], states)
	}
}

// node is a node of the evidence in a file.
type node struct {
	Formula   int        `json:"formula"`
	Asked     set        `json:"asked"`
	Good      set        `json:"good"`
	Bad       set        `json:"bad"`
	Left      *node      `json:"left"`
	Right     *node      `json:"right"`
	Early     bool       `json:"early"`
	Visited   set        `json:"visited"`
	Q         set        `json:"q"`
	P         set        `json:"p"`
	Holds     set        `json:"holds"`
	Fails     set        `json:"fails"`
	Ranks     []set      `json:"ranks"`
	Frontiers []frontier `json:"frontiers"`
}

type frontier struct {
	Reached set   `json:"reached"`
	Left    *node `json:"left"`
	Right   *node `json:"right"`
}

// file is the content of a file.
type file struct {
	claims
	Evidence *node `json:"evidence"`
}
