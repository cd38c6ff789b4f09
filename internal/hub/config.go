package hub

import (
	"maps"
	"path/filepath"

	"understudy/internal/words"
)

// mostQueues limits the queues of a tenant. There is one for each line, set of needs and
// priority that a run ever had.
const mostQueues = 10_000

// config returns the configuration of the server, as JSON, which is a subset of the
// server's configuration language.
func (o Options) config(k keys) (string, error) {
	accounts := object{}
	for _, t := range o.Tenants {
		maps.Copy(accounts, k.accounts(t, object{"max_file": o.MaxTenantMB * 1_000_000, "max_consumers": mostQueues}))
	}
	config := object{
		"listen": o.Listen, "accounts": accounts, "max_payload": 8 << 20,
		// What is acknowledged is on the disk; everything in a fleet relies on that.
		"jetstream": object{"store_dir": filepath.ToSlash(filepath.Join(o.Dir, "data")), "sync_interval": "always"},
	}
	if o.Name != "" {
		config["server_name"] = o.Name
	}
	tls := object{"cert_file": filepath.ToSlash(o.Certificate), "key_file": filepath.ToSlash(o.Key)}
	if o.Certificate != "" {
		config["tls"] = tls
	}
	if o.ClusterListen != "" {
		var routes []string
		for _, address := range o.Join {
			routes = append(routes, "nats://understudy:"+k.secret+"@"+address)
		}
		cluster := object{
			"name": "understudy", "listen": o.ClusterListen, "routes": routes,
			"authorization": object{"user": "understudy", "password": k.secret},
		}
		if o.Certificate != "" {
			cluster["tls"] = object{"cert_file": tls["cert_file"], "key_file": tls["key_file"], "ca_file": filepath.ToSlash(o.CA)}
		}
		config["cluster"] = cluster
	}
	return words.JSON(config, "") // the server does not accept \u escapes
}
