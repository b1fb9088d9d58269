package footprint

import (
	"fmt"

	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
)

// TooLargeError reports that a model does not fit into memory. Readers of models
// put the model's name before it.
type TooLargeError struct {
	States, Transitions int64
	// Need is the usual need of the task.
	Need  int64
	Limit resources.Limit
}

func (e *TooLargeError) Error() string { return e.Unwrap().Error() }

// Unwrap returns an error with the same text that has the remedies as values, a [*remedy.Error].
func (e *TooLargeError) Unwrap() error {
	return resources.Refuse(fmt.Sprintf("needs about %s for %s transitions and %s states, %s are %s",
		progress.Bytes.Format(e.Need), progress.Transitions.Format(e.Transitions), progress.States.Format(e.States),
		progress.Bytes.Format(e.Limit.Bytes), e.Limit.By))
}

// Fits refuses a task whose least need for a model of this size exceeds a limit,
// unless the Bytes of the limit are 0. The error is a *TooLargeError. Cost O(1).
func Fits(t Task, states, transitions int64, limit resources.Limit) error {
	need := Of(t, states, transitions)
	if limit.Bytes != 0 && need.Least > limit.Bytes {
		return &TooLargeError{states, transitions, need.Usual, limit}
	}
	return nil
}
