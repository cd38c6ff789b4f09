// Package mailbox is an SMTP server on loopback that keeps the mails which it receives.
package mailbox

import (
	"io"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"
)

// A Mail is a received mail.
type Mail struct {
	To   []string // as the sender told the server
	Text string   // with its headers
}

// Header returns a header of a mail.
func (m Mail) Header(t testing.TB, name string) string {
	t.Helper()
	parsed, err := mail.ReadMessage(strings.NewReader(m.Text))
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Header.Get(name)
}

// Server receives mails until its test ends.
type Server struct {
	Address string

	mu    sync.Mutex
	mails []Mail
}

// Serve starts a server.
func Serve(t testing.TB) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Address: l.Addr().String()}
	server := smtp.NewServer(s)
	server.Domain = "localhost"
	go func() { _ = server.Serve(l) }() // returns once closed
	t.Cleanup(func() { _ = server.Close() })
	return s
}

// Mails returns what was received so far.
func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail{}, s.mails...)
}

// NewSession implements smtp.Backend.
func (s *Server) NewSession(*smtp.Conn) (smtp.Session, error) { return &delivery{server: s}, nil }

type delivery struct {
	server *Server
	to     []string
}

func (d *delivery) Reset()                                    { d.to = nil }
func (*delivery) Logout() error                               { return nil }
func (*delivery) Mail(string, *smtp.MailOptions) error        { return nil }
func (d *delivery) Rcpt(to string, _ *smtp.RcptOptions) error { d.to = append(d.to, to); return nil }

func (d *delivery) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	d.server.mu.Lock()
	defer d.server.mu.Unlock()
	d.server.mails = append(d.server.mails, Mail{d.to, string(text)})
	return err
}
