package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Workers read single messages of a stream by requests to its leader. A consumer would need the
// permission to create consumers; with that, a user can let the servers send what a stream has to
// any subject, so that it seems to come from somebody else.

// messageRequest selects a message of a stream: by its sequence number, or the last one of a
// subject, or the first one of a subject from a sequence number on.
type messageRequest struct {
	Sequence uint64 `json:"seq,omitempty"`
	Last     string `json:"last_by_subj,omitempty"`
	Next     string `json:"next_by_subj,omitempty"`
}

// message is a message that the servers keep.
type message struct {
	Subject  string    `json:"subject"`
	Sequence uint64    `json:"seq"`
	Header   []byte    `json:"hdrs"`
	Data     []byte    `json:"data"`
	Time     time.Time `json:"time"`
}

// header returns the value of a field of the header, "" if there is none.
func (m *message) header(name string) string {
	if len(m.Header) == 0 {
		return ""
	}
	fields, err := nats.DecodeHeadersMsg(m.Header)
	if err != nil {
		return ""
	}
	return fields.Get(name)
}

// get returns a message of a stream. The error is [jetstream.ErrMsgNotFound] if there is no such
// message, and [jetstream.ErrStreamNotFound] if there is no such stream.
func (q *queue) get(
	ctx context.Context,
	stream string,
	which messageRequest,
) (*message, error) {
	request, err := json.Marshal(which)
	if err != nil {
		return nil, err
	}
	reply, err := q.nc.RequestWithContext(ctx, q.api+"STREAM.MSG.GET."+stream, request)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Message *message            `json:"message"`
		Error   *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(reply.Data, &answer); err != nil {
		return nil, err
	}
	switch {
	case answer.Error == nil && answer.Message != nil:
		return answer.Message, nil
	case answer.Error == nil:
		return nil, fmt.Errorf("the servers have answered a request for a message of %s without one", stream)
	case answer.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound:
		return nil, jetstream.ErrMsgNotFound
	case answer.Error.ErrorCode == jetstream.JSErrCodeStreamNotFound:
		return nil, jetstream.ErrStreamNotFound
	}
	return nil, answer.Error
}

// each calls a function for the messages of a subject from a sequence number on, at most for a
// given number of them, and returns the sequence number that follows the last one. Cost: a request
// for each message.
func (q *queue) each(
	ctx context.Context,
	stream, subject string,
	from uint64,
	most int,
	do func(*message),
) (uint64, error) {
	for range most {
		limited, stop := context.WithTimeout(ctx, patience)
		m, err := q.get(limited, stream, messageRequest{Sequence: max(from, 1), Next: subject})
		stop()
		if errors.Is(err, jetstream.ErrMsgNotFound) ||
			errors.Is(err, jetstream.ErrStreamNotFound) {
			return from, nil
		}
		if err != nil {
			return from, err
		}
		do(m)
		from = m.Sequence + 1
	}
	return from, nil
}

// mostPages limits how often subjects are asked for: the servers send 100,000 of them at a time.
const mostPages = 50

// subjects returns the subjects of a stream that match a pattern, sorted; none if there is no such
// stream. Cost: a request for each 100,000 subjects.
func (q *queue) subjects(
	ctx context.Context,
	stream, pattern string,
) (all []string, err error) {
	for range mostPages {
		page, total, err := q.subjectsFrom(ctx, stream, pattern, len(all))
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) == 0 || len(all) >= total {
			break
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// subjectsFrom returns those subjects that follow the first ones, and the number of all.
func (q *queue) subjectsFrom(
	ctx context.Context,
	stream, pattern string,
	first int,
) (page []string, total int, err error) {
	request, err := json.Marshal(map[string]any{"subjects_filter": pattern, "offset": first})
	if err != nil {
		return nil, 0, err
	}
	limited, stop := context.WithTimeout(ctx, patience)
	defer stop()
	reply, err := q.nc.RequestWithContext(limited, q.api+"STREAM.INFO."+stream, request)
	if err != nil {
		return nil, 0, err
	}
	var answer struct {
		Total int `json:"total"`
		State struct {
			Subjects map[string]uint64 `json:"subjects"`
		} `json:"state"`
		Error *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(reply.Data, &answer); err != nil {
		return nil, 0, err
	}
	if answer.Error != nil {
		if answer.Error.ErrorCode == jetstream.JSErrCodeStreamNotFound {
			return nil, 0, nil
		}
		return nil, 0, answer.Error
	}
	return slices.Collect(maps.Keys(answer.State.Subjects)), answer.Total, nil
}
