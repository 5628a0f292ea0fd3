"""What a collector is sent of a message: one trace, from whoever publishes it to the model."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from typing import Any

import anyio
import pytest
import structlog

from parley.bus import Bus, Draft
from parley.bus.connection.event_log import EventLog
from parley.bus.contract.tracing import tracer
from parley.bus.entries import Message
from parley.listeners.models.openai_model import OpenAIModel
from parley.listeners.workers.worker import LANES, WorkerSettings, run_lane
from parley.server.basics.errors import Misuse
from parley.server.basics.log_setup import configure_logging
from parley.server.settings.telemetry_settings import TelemetrySettings
from parley.server.telemetry.otlp_export import open_telemetry
from parley.server.telemetry.span_ids import span_id, trace_id
from tests.support.logs.logs import PACKS, opened
from tests.support.servers.fake_openai import FakeOpenAI
from tests.support.servers.otlp_receiver import OtlpReceiver, attributes
from tests.support.servers.patience import wait_until
from tests.support.servers.ports import reserved

CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
async def bus(redis_url: str) -> AsyncIterator[Bus]:
    async with await Bus.connect(redis_url) as bus:
        yield bus


def draft(name: str) -> Draft:
    return Draft(name, Message(participant="ana", content="Tea, I think."))


def trace_of(receiver: OtlpReceiver, session: str, id: str) -> dict[str, Any]:
    """The spans of the trace of a message, by name."""
    wanted = trace_id(session, id).to_bytes(16)
    return {span.name: span for span in receiver.spans if span.trace_id == wanted}


async def test_one_trace_has_a_message_from_its_publication_to_the_model_call(
    bus: Bus, redis_url: str
) -> None:
    """Four messages, of which the last makes a summary due: its trace has all four steps."""
    ids = [f"m{k}" for k in range(4)]
    with OtlpReceiver() as receiver, FakeOpenAI() as fake:
        model = OpenAIModel("small-1", url=fake.url)
        settings = TelemetrySettings(url=receiver.url, ratio=1)
        async with open_telemetry(settings, "parley-test"):
            await bus.open("s", opened(summary={"how": "model", "interval": 4}))
            with tracer().serving(CALLER):
                for name in ids:
                    await bus.publish("s", [draft(name)])
            stop = anyio.Event()
            async with anyio.create_task_group() as lanes:
                for lane in LANES:
                    worker = WorkerSettings(redis_url, wedged_seconds=0)
                    lanes.start_soon(run_lane, lane, worker, PACKS, model, stop)
                await wait_until(lambda: _has_summary(bus))
                stop.set()
        await model.aclose()
    assert receiver.services == {"parley-test"}
    trace = trace_of(receiver, "s", "m3")
    assert set(trace) == {"publish", "fold", "answer summary", "chat small-1"}
    publish, fold, answer, chat = (
        trace[name] for name in ("publish", "fold", "answer summary", "chat small-1")
    )
    assert publish.parent_span_id == b""
    assert fold.parent_span_id == publish.span_id == span_id("s", "m3", "publish").to_bytes(8)
    assert answer.parent_span_id == fold.span_id
    assert chat.parent_span_id == answer.span_id
    assert [link.trace_id.hex() for link in publish.links] == [CALLER.split("-")[1]]
    assert {link.trace_id for link in answer.links} == {
        trace_id("s", name).to_bytes(16) for name in ids[:3]
    }
    about = attributes(chat)
    assert about["gen_ai.operation.name"] == "chat"
    assert about["gen_ai.request.model"] == "small-1"
    assert about["gen_ai.usage.input_tokens"] > 0
    assert about["gen_ai.usage.output_tokens"] > 0
    assert about["gen_ai.response.finish_reasons"] == ["stop"]
    assert attributes(answer)["gen_ai.conversation.id"] == "s"
    assert attributes(fold)["messaging.message.id"] == "m3"
    assert all("Tea" not in str(attributes(span)) for span in receiver.spans)
    counted = {metric.name: metric for metric in receiver.metrics}
    (sent,) = counted["messaging.client.sent.messages"].sum.data_points
    assert sent.as_int == 4
    tokens = counted["gen_ai.client.token.usage"].histogram.data_points
    assert {attributes(point)["gen_ai.token.type"] for point in tokens} == {"input", "output"}
    assert "session" not in str(receiver.metrics)


async def _has_summary(bus: Bus) -> bool:
    return any(
        record.entry.kind == "summary.made" and "model" in record.id
        for record in await bus.read("s")
    )


async def test_of_what_is_not_chosen_nothing_is_sent(bus: Bus) -> None:
    """The model call of an effect among it; counts are of all."""
    with OtlpReceiver() as receiver, FakeOpenAI() as fake:
        model = OpenAIModel("small-1", url=fake.url)
        async with open_telemetry(TelemetrySettings(url=receiver.url, ratio=0), "parley-test"):
            await bus.open("s", opened())
            drafts = [draft(f"m{k}") for k in range(3)]
            await bus.publish("s", drafts)
            with tracer().answering("s", "summary:1:1:3", drafts):
                await model.complete(_prompt())
                assert tracer().current() == {}
        await model.aclose()
    assert receiver.spans == []
    counted = {metric.name: metric for metric in receiver.metrics}
    assert counted["messaging.client.sent.messages"].sum.data_points[0].as_int == 3


async def test_a_step_that_fails_says_so_by_the_kind_of_its_error(bus: Bus) -> None:
    """And not by its words, which may be somebody's."""
    with OtlpReceiver() as receiver:
        async with open_telemetry(TelemetrySettings(url=receiver.url, ratio=1), "parley-test"):
            with pytest.raises(Exception, match="no session"):
                await bus.publish("nowhere", [draft("m")])
    (span,) = receiver.spans
    assert span.status.code == 2
    assert (span.status.message, len(span.events)) == ("", 0)
    assert attributes(span)["error.type"] == "SessionNotFound"


async def test_the_log_says_which_trace_an_event_belongs_to(
    bus: Bus, capsys: pytest.CaptureFixture[str]
) -> None:
    with OtlpReceiver() as receiver:
        async with open_telemetry(TelemetrySettings(url=receiver.url, ratio=1), "parley-test"):
            configure_logging("info", True)
            drafts = [draft("m")]
            try:
                with tracer().folding("s", drafts):
                    EventLog("parley.test").info("something")
                EventLog("parley.test").info("else")
            finally:
                structlog.reset_defaults()
    inside, outside = capsys.readouterr().err.splitlines()
    assert f'"trace_id": "{trace_id("s", "m"):032x}"' in inside
    assert f'"span_id": "{span_id("s", "m", "fold"):016x}"' in inside
    assert "trace_id" not in outside


def test_while_it_is_off_nothing_of_it_is_loaded() -> None:
    """By a worker or a server that runs: of the interface, which the framework has, no more."""
    program = (
        "import anyio, sys\n"
        "import parley.server.runtime.worker, parley.server.basics.log_setup\n"
        "import parley.server.bootstrap.serve\n"
        "from parley.server.telemetry.otlp_export import open_telemetry\n"
        "from parley.server.settings.telemetry_settings import TelemetrySettings\n"
        "async def main():\n"
        "    async with open_telemetry(TelemetrySettings(), 'x'): pass\n"
        "anyio.run(main)\n"
        "exported = ('opentelemetry.sdk', 'opentelemetry.exporter', 'opentelemetry.proto')\n"
        "sys.exit(any(name.startswith(exported) for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


async def test_a_collector_that_is_away_is_told_in_the_log_and_stops_nothing(
    bus: Bus, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line for what was not sent, in the log's own form; publishing goes on."""
    with closing(reserved()) as nobody:
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        configure_logging("info", True)
        try:
            async with open_telemetry(TelemetrySettings(url=url, ratio=1), "parley-test"):
                await bus.open("s", opened())
                assert len(await bus.publish("s", [draft("m")])) == 1
            lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
        finally:
            structlog.reset_defaults()
    assert {line["event"] for line in lines} == {"telemetry_not_sent"}
    # "spans batch" of one release of the exporter is "Span. batch" of another
    unsent = [line["reason"].split()[3].lower().rstrip("s.") for line in lines]
    assert sorted(unsent) == ["metric", "span"]


@pytest.mark.parametrize("url", ["127.0.0.1:4318", "ftp://x", "http://", "http://a b", "no"])
async def test_what_is_no_address_of_a_collector_is_refused(url: str) -> None:
    """At once: nothing would ever be sent."""
    with pytest.raises(Misuse, match="write one such as http://127"):
        async with open_telemetry(TelemetrySettings(url=url), "parley-test"):
            pass


async def test_packages_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(Misuse, match=r"install parley-deliberation\[telemetry\]"):
        async with open_telemetry(TelemetrySettings(url="http://127.0.0.1:9"), "parley-test"):
            pass


def _prompt() -> Any:
    from parley.listeners.models.model_port import Prompt

    return Prompt("You answer.", "Say one word.", max_tokens=8)
