#!/usr/bin/env bash
# Kafka's own broker and tools, on this machine alone: one node, without ZooKeeper. Needs Java 17 and, once, Maven.
#   scripts/kafka.sh install           jars to build/kafka; the other commands do it if they are missing
#   scripts/kafka.sh start TOPIC...    a broker on 127.0.0.1:9092 with these topics, until Ctrl-C; nothing of it stays
#   scripts/kafka.sh produce TOPIC     each line of standard input as a message
#   scripts/kafka.sh read TOPIC        committed messages, each with its headers, until none comes for 5 seconds
# KAFKA_PORT: another port than 9092. KAFKA_PARTITIONS: of new topics, default 4.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jars=build/kafka
server=127.0.0.1:${KAFKA_PORT:-9092}
java=(java -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp "$jars/*")

install_jars() {
  [ -e "$jars/complete" ] && return
  echo 'Downloading Kafka to build/kafka; this happens once' >&2
  mvn -q -B -f scripts/kafka.pom.xml dependency:copy-dependencies -DoutputDirectory="$PWD/$jars" >&2
  touch "$jars/complete"
}

start() {
  local folder broker
  folder=$(mktemp -d)
  cat >"$folder/server.properties" <<PROPERTIES
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:$((${KAFKA_PORT:-9092} + 1))
listeners=PLAINTEXT://$server,CONTROLLER://127.0.0.1:$((${KAFKA_PORT:-9092} + 1))
controller.listener.names=CONTROLLER
log.dirs=$folder/data
num.partitions=${KAFKA_PARTITIONS:-4}
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
PROPERTIES
  "${java[@]}" kafka.tools.StorageTool format --standalone -t "$(head -c 16 /dev/urandom | base64 | tr '+/' '-_' | tr -d =)" \
    -c "$folder/server.properties" >/dev/null
  "${java[@]}" kafka.Kafka "$folder/server.properties" &
  broker=$!
  trap 'kill $broker; wait $broker; rm -rf "$folder"' EXIT
  for topic in "$@"; do
    "${java[@]}" org.apache.kafka.tools.TopicCommand --bootstrap-server "$server" --create --if-not-exists --topic "$topic" >/dev/null
  done
  echo "Kafka listens on $server"
  wait "$broker"
}

install_jars
case "${1:-}" in
  install) ;;
  start) start "${@:2}" ;;
  produce) "${java[@]}" org.apache.kafka.tools.ConsoleProducer --bootstrap-server "$server" --topic "$2" ;;
  read)
    "${java[@]}" org.apache.kafka.tools.consumer.ConsoleConsumer --bootstrap-server "$server" --topic "$2" --from-beginning \
      --isolation-level read_committed --timeout-ms 5000 --property print.headers=true 2>/dev/null || true
    ;;
  *)
    sed -n '3,7s/^# *//p' "${BASH_SOURCE[0]}" >&2
    exit 1
    ;;
esac
