#!/bin/sh
# Node with the capability for raw sockets where this container may have it, plain Node else.
if /usr/local/bin/node-with-net-raw --version >/dev/null 2>&1; then
  exec /usr/local/bin/node-with-net-raw "$@"
fi
exec node "$@"
