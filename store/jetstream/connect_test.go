package jetstream

import "testing"

// TestServersElsewhereAreSpokenToOverTLS tests that the address alone decides about TLS, and
// not what a server claims.
func TestServersElsewhereAreSpokenToOverTLS(t *testing.T) {
	for urls, want := range map[string]bool{
		"nats://127.0.0.1:4222":                       false,
		"nats://localhost:4222,nats://[::1]:4222":     false,
		"127.0.0.1:4222":                              false,
		"nats://10.0.0.1:4222":                        true,
		"nats://127.0.0.1:4222, nats://hub.test:4222": true,
		"hub.test:4222":                               true,
		"nats://localhost.test:4222":                  true,
		"nats://%":                                    true,
	} {
		if got := beyondLoopback(urls); got != want {
			t.Errorf("%s: %t, wanted %t", urls, got, want)
		}
	}
}
