"""Fetching data, from a local server with OpenML's protocol."""

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import _openml

from fuzzyucs.experiment import openml
from fuzzyucs.experiment.data import load
from fuzzyucs.experiment.openml import Source, fetch

ARFF = """@relation birds
@attribute weight numeric
@attribute colour {red,green,blue}
@attribute species {owl,wren}
@data
1.5,green,wren
?,red,owl
3.25,?,owl
2,blue,wren
"""
FEATURES = [
    {"index": "0", "name": "weight", "data_type": "numeric"},
    {"index": "1", "name": "colour", "data_type": "nominal"},
    {"index": "2", "name": "species", "data_type": "nominal"},
]


class Server(BaseHTTPRequestHandler):
    requests: list[str] = []  # noqa: RUF012

    def do_GET(self):
        self.requests.append(self.path)
        address = "http://{}:{}".format(*self.server.server_address)
        description = {
            "id": "7",
            "name": "birds",
            "version": "1",
            "format": "ARFF",
            "file_id": "1",
            "url": f"{address}/file.arff",
            "status": "active",
            "default_target_attribute": "species",
            "md5_checksum": hashlib.md5(ARFF.encode()).hexdigest(),
        }
        no = dict.fromkeys(("is_target", "is_ignore", "is_row_identifier"), "false")
        features = [{**f, **no, "number_of_missing_values": "0"} for f in FEATURES]
        features[-1]["is_target"] = "true"
        quality = [{"name": "NumberOfInstances", "value": "4.0"}]
        pages = {
            "/info/7": json.dumps({"data_set_description": description}),
            "/features/7": json.dumps({"data_features": {"feature": features}}),
            "/qualities/7": json.dumps({"data_qualities": {"quality": quality}}),
            "/file.arff": ARFF,
        }
        page = pages.get(self.path.split("?")[0])
        self.send_response(404 if page is None else 200)
        self.end_headers()
        self.wfile.write((page or "not found").encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = "http://{}:{}".format(*server.server_address)
        for name, path in (("INFO", "info"), ("FEATURES", "features"), ("QUALITIES", "qualities")):
            monkeypatch.setattr(_openml, f"_DATA_{name}", f"{address}/{path}/{{}}")
        load.cache_clear()
        Server.requests.clear()
        yield server
        server.shutdown()


@pytest.mark.usefixtures("server")
def test_a_missing_data_set_is_fetched_once_and_kept(tmp_path, monkeypatch):
    monkeypatch.setitem(openml.SOURCES, "bnk", Source(7, 4, 2, 2))
    X, y = load("bnk", str(tmp_path))
    assert_array_equal(X, [[1.5, 1], [np.nan, 2], [3.25, np.nan], [2, 0]])
    assert_array_equal(y, [1, 0, 0, 1])
    assert (tmp_path / "banknote.csv").read_text().splitlines()[1] == "?,2.0,0"
    assert [path.name for path in tmp_path.iterdir()] == ["banknote.csv"]
    n_requests = len(Server.requests)
    assert n_requests > 0
    load.cache_clear()
    load("bnk", str(tmp_path))
    assert len(Server.requests) == n_requests


@pytest.mark.usefixtures("server")
def test_data_of_another_shape_are_refused_and_not_kept(tmp_path, monkeypatch):
    monkeypatch.setitem(openml.SOURCES, "bnk", Source(7, 1372, 4, 2))
    with pytest.raises(ValueError, match=r"is not the article's 'bnk'.* = \(4, 2, 2\), expected"):
        fetch("bnk", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_data_without_a_source_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"'lnd' cannot be fetched; put mine.csv into"):
        fetch("lnd", tmp_path)
    load.cache_clear()
    with pytest.raises(FileNotFoundError, match=r"'bnk' \(banknote.csv\) needs a folder"):
        load("bnk", None)
