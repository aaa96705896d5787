/** The full name of a host without asking the network: its own name if it has a domain, or what the hosts file knows of it. */
export function fullHostName(hostname: string, hosts: string): string {
  if (hostname.includes('.')) return hostname;
  const lines = hosts.split('\n').map((line) => line.replace(/#.*/, '').trim().split(/\s+/).slice(1));
  const names = lines.filter((line) => line.includes(hostname)).flat();
  return names.find((name) => name.includes('.') && !name.startsWith('localhost')) ?? hostname;
}
