package liveness

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// timeShare limits one of several tasks to its share of the time that is left.
type timeShare struct {
	whole   context.Context // of all tasks
	limited context.Context // of this task
	length  time.Duration
	// end releases the limited context.
	end context.CancelFunc
}

// shareOfTime returns the share of the first of several tasks, all of which get the same. It is the whole time
// if there is only one task, or if the time is not limited.
func shareOfTime(ctx context.Context, numTasks int) timeShare {
	deadline, isLimited := ctx.Deadline()
	if !isLimited || numTasks == 1 {
		return timeShare{whole: ctx, limited: ctx, end: func() {}}
	}
	length := time.Until(deadline) / time.Duration(numTasks)
	limited, end := context.WithTimeout(ctx, length)
	return timeShare{
		whole:   ctx,
		limited: limited,
		length:  length,
		end:     end,
	}
}

// isUsedUp reports whether err, the error of the task, only means that its share of the time is over.
func (s timeShare) isUsedUp(err error) bool {
	isOver := s.limited.Err() == context.DeadlineExceeded // and not Canceled, which [timeShare.end] causes
	return err != nil && isOver && s.whole.Err() == nil
}

// inWords returns how long the share is, as the end of "it takes more than".
func (s timeShare) inWords() string {
	return fmt.Sprintf("%v, its share of the limit of time", s.length.Round(10*time.Millisecond))
}

// failure returns the error of a property that has used up its share.
func (s timeShare) failure() error { return &shareError{s} }

// shareError is the error of a property that has used up its share of the time. Its text is about "it".
type shareError struct{ share timeShare }

func (e *shareError) Error() string {
	return fmt.Sprintf("it takes more than %s: ask it alone, or allow more time", e.share.inWords())
}

// withSubject returns why an instance cannot be asked, with the name of the instance if the reason is about "it".
func withSubject(i Instance, why error) error {
	var isOver *shareError
	if errors.As(why, &isOver) {
		return fmt.Errorf("%s cannot be evaluated: %w", i.briefName(), why)
	}
	return why
}
