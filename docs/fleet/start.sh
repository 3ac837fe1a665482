#!/bin/sh
# Starts two services that share a database, and nginx in front of them. Starts a service again when it ends. Ends all of
# it when it gets SIGINT or SIGTERM.
#
#   STORE=postgres://comity@127.0.0.1/comity PGPASSWORD=… sh docs/fleet/start.sh --user-agent 'MyBot/1.0 (+https://my.example/bot)'
#
# All arguments are passed to the services. On several machines, each runs one service, and nginx names all of them. These
# variables change the defaults: COMITY and NGINX are the programs, LISTEN is the address of nginx, FIRST and SECOND are the
# ports of the services, FOLDER is an empty folder for nginx.
set -eu
# Debian's nginx is not in the path of every user.
PATH=$PATH:/usr/sbin

: "${STORE:?expected the address of the database, such as postgres://comity@127.0.0.1/comity}"
: "${COMITY:=comity}" "${NGINX:=nginx}" "${LISTEN:=127.0.0.1:9309}" "${FIRST:=9310}" "${SECOND:=9311}"
: "${FOLDER:=$(mktemp -d)}"
chmod 755 "$FOLDER"

cat > "$FOLDER/nginx.conf" <<NGINX
daemon off;
pid $FOLDER/nginx.pid;
error_log stderr warn;
events { worker_connections 4096; }
http {
    access_log off;
    client_body_temp_path $FOLDER/body;
    proxy_temp_path $FOLDER/proxy;
    fastcgi_temp_path $FOLDER/fastcgi;
    uwsgi_temp_path $FOLDER/uwsgi;
    scgi_temp_path $FOLDER/scgi;

    upstream services {
        # A service that is gone refuses connections at once, so it costs nothing to try it for each question. With
        # max_fails, nginx would not ask a service that has just come back when the other one ends.
        server 127.0.0.1:$FIRST max_fails=0;
        server 127.0.0.1:$SECOND max_fails=0;
        keepalive 32;
    }
    server {
        listen $LISTEN;
        # As the services: see \`comity serve --help\`.
        client_max_body_size 4m;
        location / {
            proxy_pass http://services;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host \$host;
            proxy_set_header X-Forwarded-For \$remote_addr;
            # A question that a service did not answer is passed to the other one.
            proxy_next_upstream error timeout;
            proxy_connect_timeout 1s;
            proxy_read_timeout 65s;
            # Answers to batches are streams.
            proxy_buffering off;
        }
    }
}
NGINX

# Runs a service on a port, again and again, until SIGTERM.
keep() {
    port=$1
    shift
    trap 'kill "$service" 2> /dev/null; wait "$service"; exit' TERM
    while :; do
        "$COMITY" serve --listen "127.0.0.1:$port" --store "$STORE" --trust-proxy 127.0.0.1 "$@" &
        service=$!
        echo "$service" > "$FOLDER/$port.pid"
        wait "$service" || sleep 0.2
    done
}

keep "$FIRST" "$@" &
keepers=$!
keep "$SECOND" "$@" &
keepers="$keepers $!"
"$NGINX" -e stderr -c "$FOLDER/nginx.conf" &
nginx=$!

end() {
    trap - INT TERM EXIT
    # shellcheck disable=SC2086
    kill $keepers "$nginx" 2> /dev/null || true
    wait
}
trap end INT TERM EXIT
wait "$nginx"
