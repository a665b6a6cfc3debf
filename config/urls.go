package config

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// parseOrigins reads browser origins, comma separated, and returns them as a browser writes them in the Origin header:
// lower case, without the scheme's own port. With * among them, * is all that is returned.
func parseOrigins(v string) ([]string, error) {
	var origins []string
	for entry := range strings.SplitSeq(v, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		origin, err := parseOrigin(entry)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(origins, origin) {
			origins = append(origins, origin)
		}
	}
	if slices.Contains(origins, "*") {
		return []string{"*"}, nil
	}
	return origins, nil
}

func parseOrigin(entry string) (string, error) {
	if entry == "*" {
		return "*", nil
	}
	u, err := url.Parse(entry)
	switch {
	case err != nil || u.Scheme == "" || u.Host == "" || u.Hostname() == "":
		return "", finding(fmt.Sprintf("%q is no origin: it has not the form scheme://host or scheme://host:port", entry))
	case strings.Contains(u.Host, "*"):
		return "", finding(fmt.Sprintf("%q has a wildcard: name each origin, or allow all with * alone", entry))
	case u.User != nil || u.Path != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", finding(fmt.Sprintf("%q is no origin: nothing may follow the host and port", entry))
	}
	host := strings.ToLower(u.Host)
	port := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	if port != "" {
		host = strings.TrimSuffix(host, port)
	}
	return u.Scheme + "://" + host, nil
}

// parseHosts reads host names, comma separated, and returns them in lower case. With * among them, * is all that is
// returned.
func parseHosts(v string) (Hosts, error) {
	var hosts Hosts
	for entry := range strings.SplitSeq(v, ",") {
		entry = strings.ToLower(strings.TrimSpace(entry))
		if entry == "" || slices.Contains(hosts, entry) {
			continue
		}
		if ip := strings.Trim(entry, "[]"); net.ParseIP(ip) != nil {
			entry = ip
		} else if strings.ContainsAny(entry, ":/@?#[] ") {
			return nil, finding(fmt.Sprintf("%q is no host name: it has no scheme, port or path", entry))
		} else if entry != "*" && strings.Contains(entry, "*") {
			return nil, finding(fmt.Sprintf("%q has a wildcard: name each host, or allow all with * alone", entry))
		}
		hosts = append(hosts, entry)
	}
	if slices.Contains(hosts, "*") {
		return Hosts{"*"}, nil
	}
	return hosts, nil
}

// checkUpstreamURL says in plain words what makes u no MCP endpoint; "" if nothing does.
func checkUpstreamURL(u *url.URL) string {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return "it does not start with http:// or https://"
	case u.Hostname() == "":
		return "it names no host"
	case u.User != nil:
		return "it holds a user: callers bring their own credentials"
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "something follows its path"
	}
	return ""
}

// checkAddress says in plain words what makes an address one that cannot be listened on; "" if nothing does.
func checkAddress(address string) string {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return "it has no port, or more than one"
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Sprintf("%q is no port from 0 to 65535", port)
	}
	return ""
}
