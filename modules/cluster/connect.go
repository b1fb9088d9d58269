package cluster

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// Server has the addresses of servers, and reports how they and this client authenticate each
// other.
type Server struct {
	// URL is one address, or several separated by commas: tls://a:4222,tls://b:4222.
	URL string
	// Credentials is a file: one that NATS calls credentials (.creds), the seed of an nkey,
	// or a line user:password.
	Credentials string
	// CA is a file with the certificates of the authorities that sign the certificates of servers;
	// "" means the authorities that the system trusts. Certificate and Key are files with this
	// client's own certificate and key.
	CA, Certificate, Key string
	// Plaintext allows connections without TLS to other machines.
	Plaintext bool
	// Name is the name of the connection, for administrators of the servers.
	Name string
	// Refused, if it is not nil, is called once for each operation that the servers do not
	// allow this user.
	Refused func(what string)
	// Patience is how long to wait for servers; 0 means a minute.
	Patience time.Duration
}

// The errors of connections that are refused before they are made.
var (
	ErrAnonymous = errors.New("on another machine nobody works without credentials")
	ErrPlaintext = errors.New("to another machine nobody connects without TLS")
)

// Connect connects to servers. On the loopback neither TLS nor credentials are needed;
// elsewhere, the error is [ErrAnonymous] or [ErrPlaintext] if they are missing. A lost
// connection is made again, until it is closed. Connect waits for servers that are not running
// yet.
func Connect(ctx context.Context, s Server) (nc *nats.Conn, err error) {
	options, err := s.options()
	if err != nil {
		return nil, err
	}
	limited, stop := context.WithTimeout(ctx, cmp.Or(s.Patience, becomingReady))
	defer stop()
	for {
		nc, err = nats.Connect(s.URL, options...)
		if err == nil {
			return nc, nil
		}
		if !mayComeUp(err) || !wait(limited, lastPause/4) {
			return nil, fmt.Errorf("%s: %w", s.addresses(), err)
		}
	}
}

// mayComeUp reports whether a connection failed because a server is not running, or closed it while it was coming up.
func mayComeUp(err error) bool {
	isClosed := errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)
	return isClosed || errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout)
}

// addresses returns the addresses without their secrets.
func (s *Server) addresses() string {
	addresses := strings.Split(s.URL, ",")
	for i, address := range addresses {
		if u, err := url.Parse(strings.TrimSpace(address)); err == nil {
			u.User = nil
			addresses[i] = u.String()
		}
	}
	return strings.Join(addresses, ",")
}

// options returns the options of a connection that is made again, without end, whenever it is lost. It reads the
// files that the settings name.
func (s *Server) options() ([]nats.Option, error) {
	secured, err := s.useTLS()
	if err != nil {
		return nil, err
	}
	options := []nats.Option{
		nats.Name(s.Name),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(250 * time.Millisecond),
		nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond),
		nats.Timeout(patience),
		nats.PingInterval(2 * time.Second),
		nats.MaxPingsOutstanding(2),
		nats.ErrorHandler(s.errorHandler()),
	}
	if secured {
		config, err := s.tlsConfig()
		if err != nil {
			return nil, err
		}
		options = append(options, nats.Secure(config))
	}
	if s.Credentials != "" {
		credentials, err := readCredentials(s.Credentials)
		if err != nil {
			return nil, err
		}
		options = append(options, credentials...)
	}
	return options, nil
}

// useTLS reports whether connections use TLS: they do if an address asks for it, or if the settings
// name a certificate. It fails with [ErrAnonymous] or [ErrPlaintext] if an address is on another
// machine and the settings do not suffice for it; an address before the first one that asks for TLS
// counts as one without.
func (s *Server) useTLS() (bool, error) {
	secured := s.CA != "" || s.Certificate != ""
	authenticated := s.Credentials != "" || s.Certificate != ""
	for _, address := range strings.Split(s.URL, ",") {
		u, err := url.Parse(strings.TrimSpace(address))
		if err != nil || u.Host == "" {
			return false, fmt.Errorf("%q is not an address of a server, such as tls://example.org:4222", address)
		}
		secured = secured || u.Scheme == "tls" || u.Scheme == "wss"
		switch {
		case isLoopback(u.Hostname()):
		case !authenticated && u.User == nil:
			return false, fmt.Errorf("%s: %w", s.addresses(), ErrAnonymous)
		case !secured && !s.Plaintext:
			return false, fmt.Errorf("%s: %w", s.addresses(), ErrPlaintext)
		}
	}
	return secured, nil
}

// errorHandler returns the handler of asynchronous errors. An operation itself returns its errors, except
// for a missing permission: a forbidden request gets no answer.
func (s *Server) errorHandler() nats.ErrHandler {
	var mu sync.Mutex
	reported := map[string]bool{}
	return func(_ *nats.Conn, _ *nats.Subscription, err error) {
		if s.Refused == nil || !errors.Is(err, nats.ErrPermissionViolation) {
			return
		}
		mu.Lock()
		isNews := !reported[err.Error()] && len(reported) < mostRefusals
		reported[err.Error()] = true
		mu.Unlock()
		if isNews {
			s.Refused(err.Error())
		}
	}
}

// mostRefusals is the largest number of different refusals that are reported.
const mostRefusals = 20

// isLoopback reports whether a host name denotes this machine, without a look-up.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// tlsConfig returns the settings of TLS: which authorities the client trusts, and its own certificate.
func (s *Server) tlsConfig() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.CA != "" {
		text, err := os.ReadFile(s.CA)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s: holds no certificate in PEM", s.CA)
		}
	}
	if s.Certificate != "" {
		pair, err := tls.LoadX509KeyPair(s.Certificate, s.Key)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Certificate, err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// readCredentials reads a file of one of the kinds that [Server] names.
func readCredentials(path string) ([]nats.Option, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text := strings.TrimSpace(string(content))
	if strings.Contains(text, "BEGIN NATS USER JWT") {
		return []nats.Option{nats.UserCredentials(path)}, nil
	}
	if pair, err := nkeys.FromSeed([]byte(text)); err == nil {
		public, err := pair.PublicKey()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return []nats.Option{nats.Nkey(public, pair.Sign)}, nil
	}
	user, password, hasPassword := strings.Cut(text, ":")
	if !hasPassword || strings.ContainsAny(text, "\n\r") {
		return nil, fmt.Errorf("%s: holds no credentials: neither those of NATS (.creds), nor the seed of an nkey, nor a line user:password", path)
	}
	options := []nats.Option{nats.UserInfo(user, password)}
	if checkName("user", user) == nil {
		// Answers and jobs arrive under an inbox of the user, which servers can hide from other
		// users.
		options = append(options, nats.CustomInboxPrefix(inboxOf(user)))
	}
	return options, nil
}

// inboxOf returns the prefix of the subjects on which a user gets answers.
func inboxOf(user string) string { return "_INBOX_" + user }

// userOfConnection returns the name of the user who has connected with a line user:password. For
// other credentials, which do not contain the name of the user, it returns the name of the
// worker.
func userOfConnection(nc *nats.Conn, worker string) string {
	user := nc.Opts.User
	if checkName("user", user) == nil {
		return user
	}
	return worker
}
