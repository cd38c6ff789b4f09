package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/wneessen/go-mail"

	"understudy/internal/schedules"
)

// Send tells one receiver.
func Send(ctx context.Context, r *Receiver, m Message) error {
	switch {
	case r.Webhook != "":
		return r.post(ctx, m)
	case r.Mail != nil:
		return r.Mail.send(ctx, m)
	case len(r.Command) > 0:
		return r.run(ctx, m)
	}
	return show(ctx, m)
}

// post signs a message as Standard Webhooks says, and posts it.
func (r *Receiver) post(ctx context.Context, m Message) error {
	body, err := json.Marshal(map[string]any{"type": "run." + string(m.Occasion), "timestamp": m.At.UTC().Format(time.RFC3339), "data": m})
	if err != nil {
		return err
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, r.Webhook, bytes.NewReader(body))
	if err != nil {
		return err
	}
	id, at := "msg_"+strings.ReplaceAll(m.key(), " ", "_")+"_"+m.Runs[0], strconv.FormatInt(time.Now().Unix(), 10)
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("webhook-id", id) // the same for each try, so that a receiver recognizes it
	q.Header.Set("webhook-timestamp", at)
	q.Header.Set("webhook-signature", schedules.Sign(r.Secret, id, at, body))
	answer, err := r.client().Do(q)
	if err != nil {
		return withoutAddress(err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<16))
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Errorf("the webhook answered %s", answer.Status)
	}
	return nil
}

// withoutAddress removes the address of a webhook from an error: it can hold a secret.
func withoutAddress(err error) error {
	for next := err; next != nil; next = errors.Unwrap(next) {
		err = next
		if errors.Is(next, ErrLocal) {
			return ErrLocal
		}
	}
	return err
}

// client returns a client that reaches other machines only, unless the receiver may be on
// this one. It follows no redirection and uses no proxy, which would look up names itself.
func (r *Receiver) client() *http.Client {
	d := &net.Dialer{}
	if !r.Local {
		d.Control = refuseLocal
	}
	return &http.Client{
		Transport:     &http.Transport{DialContext: d.DialContext, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ErrLocal is the error for a webhook whose address leads to this machine.
var ErrLocal = errors.New(`the webhook leads to a service of this machine, or to its link; if that is meant, set "local": true`)

// refuseLocal refuses connections to this machine. It sees the address that a name
// was resolved to, so a name that changes its address does not help.
func refuseLocal(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := to.Addr().Unmap().WithZone("")
	if ip.IsLoopback() || ip.IsUnspecified() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || embedsIPv4(ip) || isOwn(ip) {
		return ErrLocal
	}
	return nil
}

// embedsIPv4 reports whether a gateway translates an address to one of IPv4.
func embedsIPv4(ip netip.Addr) bool {
	return netip.MustParsePrefix("64:ff9b::/96").Contains(ip) || netip.MustParsePrefix("2002::/16").Contains(ip)
}

func isOwn(ip netip.Addr) bool {
	own, err := net.InterfaceAddrs()
	if err != nil {
		return true // better no message than one to the wrong place
	}
	for _, a := range own {
		if n, ok := a.(*net.IPNet); ok {
			if mine, ok := netip.AddrFromSlice(n.IP); ok && mine.Unmap() == ip {
				return true
			}
		}
	}
	return false
}

// send mails a message.
func (c *Mail) send(ctx context.Context, m Message) error {
	host, port, err := net.SplitHostPort(c.Server)
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	letter := mail.NewMsg()
	if err := errors.Join(letter.From(c.From), letter.To(c.To...)); err != nil {
		return err
	}
	letter.Subject("Understudy: " + m.Subject())
	letter.SetBodyString(mail.TypeTextPlain, m.Body())
	if m.Picture != nil {
		if err := letter.AttachReader(m.Runs[0]+".png", bytes.NewReader(m.Picture), mail.WithFileContentType("image/png")); err != nil {
			return err
		}
	}
	options := []mail.Option{mail.WithPort(number), mail.WithTimeout(sendTime)}
	if c.Plain {
		options = append(options, mail.WithTLSPolicy(mail.NoTLS))
	} else if number == 465 {
		options = append(options, mail.WithSSL())
	}
	if c.User != "" {
		password, err := os.ReadFile(c.PasswordFile)
		if err != nil {
			return err
		}
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(c.User), mail.WithPassword(strings.TrimSpace(string(password))))
	}
	client, err := mail.NewClient(host, options...)
	if err != nil {
		return err
	}
	return client.DialAndSendWithContext(ctx, letter)
}

// run gives a message to a command. Nothing of the message is in its arguments.
func (r *Receiver) run(ctx context.Context, m Message) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, r.Command[0], r.Command[1:]...)
	c.Stdin, c.WaitDelay = bytes.NewReader(body), time.Second
	if err := c.Run(); err != nil {
		return fmt.Errorf("the command %s: %w", r.Command[0], err)
	}
	return nil
}

// show shows a message on the desktop of the user.
func show(ctx context.Context, m Message) error {
	bus, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return fmt.Errorf("the desktop shows no notifications, or this is not Linux; use a command: %w", err)
	}
	defer bus.Close()
	escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(m.Body())
	return bus.Object("org.freedesktop.Notifications", "/org/freedesktop/Notifications").CallWithContext(ctx,
		"org.freedesktop.Notifications.Notify", 0, "Understudy", uint32(0), "", m.Subject(), escaped, []string{}, map[string]dbus.Variant{}, int32(-1)).Err
}

// Try tells a receiver that this is a test.
func (r *Receiver) Try(ctx context.Context, address string, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	return Send(ctx, r, Message{Occasion: Test, Cause: "test", Workflow: "a test", Text: "This is a test: messages reach you.", Count: 1, Runs: []string{"test"}, Address: address, At: now})
}
